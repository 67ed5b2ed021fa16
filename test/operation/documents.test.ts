import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { createIdleGateway } from '../../src/command/check.ts';
import { composition } from '../../src/features.ts';
import { testConfig } from '../support/gateway.ts';

const params = { query: '{ health { reachable } }' };

it('validates a document once, a trusted one too, however many requests have it', () => {
  const { operations } = createIdleGateway(testConfig(), composition);
  const document = parse(params.query);
  const errors = operations.validate(document);
  expect(errors).toEqual([]);
  expect(operations.validate(document)).toBe(errors);
});
