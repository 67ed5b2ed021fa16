import fc from 'fast-check';
import { parse, specifiedRules, type ValidationRule, validate } from 'graphql';
import { expect, it } from 'vitest';
import { createIdleGateway } from '../../src/command/check.ts';
import { composition } from '../../src/features.ts';
import { inParallel } from '../../src/operation/rules-in-parallel.ts';
import { schema } from '../../src/schema/index.ts';
import { documents } from '../laws/fuzz/document.ts';
import { testConfig } from '../support/gateway.ts';

const params = { query: '{ health { reachable } }' };

it('validates a document once, a trusted one too, however many requests have it', () => {
  const { operations } = createIdleGateway(testConfig(), composition);
  const document = parse(params.query);
  const errors = operations.validate(document);
  expect(errors).toEqual([]);
  expect(operations.validate(document)).toBe(errors);
});

it('validates the use of both directives', () => {
  const { operations } = createIdleGateway(testConfig({ LIVE: 'on' }), composition);
  const query = 'subscription($l: String) { ... @defer(label: $l) { live { health @stream { body } } } }';
  const messages = operations.validate(parse(query)).map(({ message }) => message);
  for (const part of ['must be a static string', 'root subscription type', 'non-list field'])
    expect(messages).toContainEqual(expect.stringContaining(part));
});

it('validates by all rules in parallel as graphql-js does', () => {
  const parallel = [inParallel(specifiedRules)];
  // Of no other rule are the functions for every kind of nodes.
  const repeated = { query: '{ health { reachable @skip(if: false) @skip(if: false) } }' };
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 30 }), ({ query }, maxErrors) => {
      const errorsBy = (rules: readonly ValidationRule[]) => {
        try {
          return JSON.stringify(validate(schema, parse(query, { maxTokens: 1000 }), rules, { maxErrors }));
        } catch (error) {
          return String(error);
        }
      };
      expect(errorsBy(parallel)).toBe(errorsBy(specifiedRules));
    }),
    { examples: [[repeated, 10]] },
  );
});
