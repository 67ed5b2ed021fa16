import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { createIdleGateway } from '../../src/command/check.ts';
import { coreLimits } from '../../src/config/core.ts';
import { composition } from '../../src/features.ts';
import { createDocuments } from '../../src/operation/document.ts';
import { schema } from '../../src/schema/index.ts';
import { testConfig } from '../support/gateway.ts';

const params = { query: '{ health { reachable } }' };

it('parses a document once, and knows it in further requests', () => {
  const { findDocument } = createDocuments({
    ...coreLimits,
    depth: 10,
    sources: [],
    validate: (document) => validate(schema, document),
  });
  const request = {};
  const first = findDocument(params, request);
  const again = findDocument(params, {});
  expect(again?.document).toBe(first?.document);
  expect(request).toEqual({ document: first?.document });
  expect([first?.isKept, again?.isKept]).toEqual([false, true]);
});

it('validates a document once, a trusted one too, however many requests have it', () => {
  const { operations } = createIdleGateway(testConfig(), composition);
  const document = parse(params.query);
  const errors = operations.validate(document);
  expect(errors).toEqual([]);
  expect(operations.validate(document)).toBe(errors);
});
