import { type SchemaText, schema, sdlOf } from '../schema/index.ts';
import type { Command } from './command.ts';

/** `portico print-schema`: the text of `schema.graphql`, or one of these texts by its option. */
export function printSchema(texts: readonly SchemaText[]): Command {
  return {
    name: 'print-schema',
    summary: 'print the GraphQL schema in SDL and exit',
    usage: 'print-schema',
    about: 'Prints the GraphQL schema in SDL and exits. It reads no settings.',
    options: Object.fromEntries(texts.map(({ option, help }) => [option, { help }])),
    faultsOf: ({ size }) =>
      size > 1 ? [`${texts.map(({ option }) => `--${option}`).join(' and ')} exclude each other`] : [],
    async run({ options }) {
      const text = texts.find(({ option }) => options.has(option));
      return { lines: [text ? text.print(schema) : sdlOf(schema)], faults: [] };
    },
  };
}
