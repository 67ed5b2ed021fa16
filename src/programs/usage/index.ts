import { type Command, json } from '../../command/command.ts';
import { groupings } from './tally.ts';

/** `portico usage`: what the logs of gateways say of fields and of REST calls. */
export const usage: Command = {
  name: 'usage',
  summary:
    'print from logs which operations, clients or keys select a field or spend the REST calls, and exit',
  usage: 'usage LOG... [OPTION...]',
  about: `Prints from the logs of gateways which operations, clients or keys spend the REST calls, or still
select a field, and exits: with 0, or with 1 if a log cannot be read, or has no line of a gateway.
It needs neither a server nor a key. Plans are not counted.

LOG is a file, or - for standard input. Lines that no gateway wrote are skipped and counted. Keys
are the digests that the log has. The fields of trusted documents are read from the manifest that
TRUSTED_DOCUMENTS names.`,
  operands: 'a log: a file, or - for standard input',
  options: {
    field: {
      help: 'count the operations that select this field, such as Site.city',
      value: {
        name: 'TYPE.FIELD',
        requires: 'a field of the schema, such as Site.city',
        accepts: (text) => /^[_a-z]\w{0,99}\.[_a-z]\w{0,99}$/i.test(text),
      },
    },
    by: {
      help: 'key, client or operation (the default)',
      value: {
        name: 'GROUP',
        requires: 'key, client or operation',
        accepts: (text) => groupings.some((grouping) => grouping === text),
      },
    },
    json: json('{ "by": ..., "entries": [...], ... }'),
  },
  run: async (given, composition) => (await import('./usage.ts')).countUsage(given, composition),
};
