import { buildClientSchema, introspectionFromSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schemaText } from '../../graphiql/bar/schema-text.ts';
import { withLiveQueries } from '../../src/features/live/schema.ts';
import { servedSchema } from '../../src/schema/index.ts';
import { sdlOf } from '../../src/schema/sdl.ts';

it.each([false, true])(
  'writes the schema that a page has read as print-schema does: live queries %s',
  (live) => {
    const schema = servedSchema(live ? [withLiveQueries] : []);
    const read = buildClientSchema(introspectionFromSchema(schema));
    expect(schemaText(read)).toBe(`${sdlOf(schema)}\n`);
  },
);
