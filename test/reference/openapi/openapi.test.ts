import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createOpenapi } from '../../../reference/openapi/openapi.ts';
import { contract } from '../../support/contract.ts';
import { addedFields } from '../../support/samples.ts';

const document = createOpenapi({ siteIdPrefix: 'SITE', isDeprecated: false });

/** The objects of OpenAPI 3.1 that the description uses, closed. */
const reference = z.strictObject({ $ref: z.string().startsWith('#/components/') });
const schema = z.looseObject({});
const example = z.strictObject({ value: z.unknown() });
const media = z.strictObject({
  schema: z.union([reference, schema]),
  examples: z.record(z.string(), example).optional(),
});
const header = z.strictObject({
  description: z.string(),
  required: z.boolean().optional(),
  schema,
});
const parameter = z.strictObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean(),
  description: z.string().optional(),
  schema: z.union([reference, schema]),
});
const response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), z.union([reference, header])),
  content: z.record(z.string(), media),
});
const operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().optional(),
  deprecated: z.boolean(),
  parameters: z.array(reference).optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([reference, response])),
});
const name = z.string().regex(/^[A-Za-z0-9._-]+$/);
const openapi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(z.string().startsWith('/'), z.strictObject({ get: operation, head: operation })),
  components: z.strictObject({
    securitySchemes: z.record(
      name,
      z.strictObject({
        type: z.literal('apiKey'),
        in: z.literal('header'),
        name: z.string(),
        description: z.string(),
      }),
    ),
    headers: z.record(name, header),
    parameters: z.record(name, parameter),
    responses: z.record(name, response),
    schemas: z.record(name, schema),
  }),
});

const served = openapi.parse(JSON.parse(JSON.stringify(document)));
const operations = Object.entries(served.paths).flatMap(([path, { get, head }]) => [
  { path, ...get },
  { path, ...head },
]);

it('names every operation once, and every parameter of its path', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, parameters = [] } of operations) {
    const inPath = parameters
      .map(({ $ref }) => served.components.parameters[$ref.split('/').at(-1) ?? ''])
      .filter((found) => found?.in === 'path');
    expect(inPath.map((found) => `{${found?.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every((found) => found?.required)).toBe(true);
  }
});

it('has exactly the components that it refers to', () => {
  const text = JSON.stringify(served);
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, at]) => at));
  const { securitySchemes: _, ...parts } = served.components;
  const held = Object.entries(parts).flatMap(([kind, entries]) =>
    Object.keys(entries).map((entry) => `${kind}/${entry}`),
  );
  expect([...referred].sort()).toEqual(held.sort());
});

it('has valid JSON Schemas 2020-12, and valid examples', () => {
  const $defs = JSON.parse(
    JSON.stringify(served.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  const compile = (name: string) => z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs });
  for (const entry of Object.keys($defs)) expect(() => compile(entry), entry).not.toThrow();
  const problem = compile('Problem');
  const problems = Object.entries(served.components.responses).flatMap(([, { content }]) =>
    Object.values(content['application/problem+json']?.examples ?? {}),
  );
  expect(problems.length).toBeGreaterThan(8);
  for (const { value } of problems)
    expect(problem.safeParse(value).success, JSON.stringify(value)).toBe(true);
});

it('describes the fields that the gateway has, apart from its own', () => {
  const types = Object.values(contract.getTypeMap()).filter(isObjectType);
  const described = types.filter(({ name }) => name !== 'Health' && name in served.components.schemas);
  expect(described).toHaveLength(13);
  for (const type of described) {
    const fields = Object.keys(type.getFields()).filter(
      (field) => !addedFields.includes(`${type.name}.${field}`),
    );
    const properties = Object.keys(served.components.schemas[type.name]?.properties ?? {});
    expect(properties.sort(), type.name).toEqual(fields.sort());
  }
});

it('has one schema for each header field', () => {
  const { BadRequest, NotFound } = served.components.responses;
  expect(NotFound?.headers.RateLimit).toEqual({ $ref: '#/components/headers/RateLimit' });
  expect(BadRequest?.headers.RateLimit).toEqual({ ...served.components.headers.RateLimit, required: false });
});

it('describes ids with the configured prefix', () => {
  const { components } = createOpenapi({ siteIdPrefix: 'PROP', isDeprecated: false });
  expect(components.schemas.SiteId?.pattern).toBe('^PROP-.*$');
});
