import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { withLiveQueries } from '../../src/schema/live.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const page = read('docs/live.md');

it.each(readdirSync(resolve(root, 'examples/live')))('has examples/live/%s as it is', (name) => {
  expect(page).toContain(`\`\`\`ts\n${read(`examples/live/${name}`)}\`\`\``);
});

it('has the lines by which schema.graphql becomes the schema with live queries', () => {
  const [, lines = ''] = /## The schema.*?```graphql\n(.*?)```/s.exec(page) ?? [];
  const printed = (sdl: string) => printSchema(lexicographicSortSchema(buildSchema(sdl)));
  const expected = printed(printSchema(withLiveQueries(schema)));
  expect(printed(`${read('schema.graphql')}\n${lines}`)).toBe(expected);
  expect(read('examples/dashboard/live.graphql')).toBe(lines);
});
