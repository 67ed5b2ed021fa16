import { buildClientSchema, introspectionFromSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schemaText } from '../../graphiql/bar/schema-text.ts';
import { printedSchema, servedSchema } from '../../src/schema/index.ts';

it.each([false, true])(
  'writes the schema that a page has read as print-schema does: live queries %s',
  (live) => {
    const extensions = { live, federation: false };
    const read = buildClientSchema(introspectionFromSchema(servedSchema(extensions, false)));
    expect(schemaText(read)).toBe(`${printedSchema(extensions)}\n`);
  },
);
