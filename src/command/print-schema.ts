import { type Command, exclude } from './command.ts';

/** `portico print-schema`: the text of `schema.graphql`. */
export const printSchema: Command = {
  name: 'print-schema',
  synopsis: 'print-schema',
  summary: 'print the GraphQL schema in SDL and exit',
  usage: 'print-schema',
  about: 'Prints the GraphQL schema in SDL and exits. It reads no settings.',
  options: {
    live: { help: 'with Subscription, as a gateway with LIVE=on serves it' },
    federation: { help: 'as a gateway with FEDERATION=on serves it to routers' },
  },
  faultsOf: (options) => exclude(options, 'federation', 'live'),
  async run({ options }) {
    const { printedSchema } = await import('../schema/index.ts');
    const text = printedSchema({ live: options.has('live'), federation: options.has('federation') });
    return { lines: [text], faults: [] };
  },
};
