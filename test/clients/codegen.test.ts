import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { generate } from '@graphql-codegen/cli';
import { buildSchema, findBreakingChanges } from 'graphql';
import { expect, it, vi } from 'vitest';
import { apiKey, startBoth } from '../support/gateway.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(root, 'docs/frontend.md'), 'utf8');

it('reads the schema from a gateway by URL and key, as the section Types of docs/frontend.md begins', async () => {
  const { gateway, upstream } = await startBoth({ INTROSPECTION: 'key', LIVE: 'off' });
  const [, sample = ''] = /^## Types\n.*?^```ts\nschema: (.*?),\n```$/ms.exec(page) ?? [];
  const code = sample.replace('https://portico.example.com/graphql', gateway.url);
  expect(code).not.toBe(sample);
  vi.stubEnv('PORTICO_API_KEY', apiKey);
  const schema = new Function('process', `return ${code}`)(process);
  vi.unstubAllEnvs();
  const read = (config: object) =>
    generate(
      { ...config, silent: true, generates: { 'schema.graphql': { plugins: ['schema-ast'] } } },
      false,
    );
  const [{ content }] = await read({ schema });
  const served = buildSchema(content);
  const installed = buildSchema(readFileSync(resolve(root, 'schema.graphql'), 'utf8'));
  expect([findBreakingChanges(served, installed), findBreakingChanges(installed, served)]).toEqual([[], []]);
  expect(upstream.requests).toEqual([]);
  await expect(read({ schema: gateway.url })).rejects.toThrow();
});
