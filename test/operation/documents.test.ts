import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { createIdleGateway } from '../../src/command/check.ts';
import { composition } from '../../src/features.ts';
import { createDocuments, documentBounds } from '../../src/operation/document.ts';
import type { DocumentSource } from '../../src/operation/types.ts';
import { badRequest } from '../../src/schema/errors.ts';
import { schema } from '../../src/schema/index.ts';
import { testConfig } from '../support/gateway.ts';

/** The documents of a gateway, one of whose sources is this one. */
const start = (source: DocumentSource = () => undefined) =>
  createDocuments({
    limits: { ...documentBounds, depth: 10, describing: new Set() },
    sources: [source],
    validate: (document) => validate(schema, document),
  });

const params = { query: '{ health { reachable } }' };

it('parses a document once, and knows it in further requests', () => {
  const { findDocument } = start();
  const request = {};
  const first = findDocument(params, request);
  const again = findDocument(params, {});
  expect(again?.document).toBe(first?.document);
  expect(request).toEqual({ document: first?.document });
  expect([first?.isKept, again?.isKept]).toEqual([false, true]);
});

it('gives a request no document that the full pipeline rejects', () => {
  for (const query of ['{', '{ nothing }', '# '.repeat(40_000)])
    expect(start().findDocument({ query }, {})).toBeUndefined();
  expect(start().findDocument({}, {})).toBeUndefined();
  const rejecting = start(() => {
    throw badRequest('rejected', 400);
  });
  expect(rejecting.findDocument(params, {})).toBeUndefined();
});

it('leaves a fault of the gateway to the caller', () => {
  const fault = new TypeError('a fault');
  const faulty = start(() => {
    throw fault;
  });
  expect(() => faulty.findDocument(params, {})).toThrow(fault);
});

it('validates a document once, a trusted one too, however many requests have it', () => {
  const { operations } = createIdleGateway(testConfig(), composition);
  const document = parse(params.query);
  const errors = operations.validate(document);
  expect(errors).toEqual([]);
  expect(operations.validate(document)).toBe(errors);
});
