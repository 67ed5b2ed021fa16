import { buildClientSchema, introspectionFromSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schemaText } from '../../graphiql/bar/schema-text.ts';
import { composition } from '../../src/features.ts';
import { sdlOf, servedSchema } from '../../src/schema/index.ts';
import { testConfig } from '../support/gateway.ts';

it.each(['off', 'on'])(
  'writes the schema that a page has read as print-schema does: live queries %s',
  (LIVE) => {
    const schema = servedSchema(composition.compose(testConfig({ LIVE }), () => {}).schema);
    const read = buildClientSchema(introspectionFromSchema(schema));
    expect(schemaText(read)).toBe(`${sdlOf(schema)}\n`);
  },
);
