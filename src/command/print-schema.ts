import { type SchemaText, schema, sdlOf } from '../schema/index.ts';
import type { Command } from './command.ts';

/** `portico print-schema`: the text of `schema.graphql`, or these texts by their options. */
export function printSchema(texts: readonly SchemaText[]): Command {
  return {
    name: 'print-schema',
    summary: 'print the GraphQL schema in SDL and exit',
    usage: 'print-schema',
    about: 'Prints the GraphQL schema in SDL and exits. It reads no settings.',
    options: Object.fromEntries(texts.map(({ option, help }) => [option, { help }])),
    async run({ options }) {
      const chosen = texts.filter(({ option }) => options.has(option));
      return {
        lines: chosen.length > 0 ? chosen.map(({ print }) => print(schema)) : [sdlOf(schema)],
        faults: [],
      };
    },
  };
}
