import { type Command, json } from '../../command/command.ts';
import { argumentsFrom, isCount, objectFrom, viewingOptions } from './arguments.ts';

/** `portico plan`: the REST calls of operations, before they are shipped. */
export const plan: Command = {
  name: 'plan',
  summary: 'print the REST calls that operations make and exit',
  usage: 'plan FILE... [OPTION...]',
  about: `Prints the REST calls that operations make, and exits: with 0 if the gateway accepts each of them
and none makes too many calls, with 1 otherwise. It needs neither a server nor a key.

FILE is a file, a folder, a glob, or - for standard input; after a ! it is left out. A file holds a
GraphQL document; if its name ends in .json, it is a manifest of trusted documents; code (.ts, .tsx,
.js, .vue, .svelte, ...) has its documents in graphql(...), gql and /* GraphQL */ literals. All
files but the manifests are one set of documents: a fragment may be in another file than the
operation. They are planned without the directives that clients remove; manifests are planned as
they are. Symbolic links, and below a folder manifests, hidden files, node_modules, dist, build and
coverage, are left out.

The settings that limit operations, and LIVE with its intervals, are read from the environment.
NODE_ENV is not: live queries are planned unless LIVE is off.`,
  operands: 'a file',
  options: {
    variables: {
      help: 'the values of variables; a list without one counts as 50 ids',
      value: { name: 'JSON', requires: 'a JSON object', accepts: (text) => objectFrom(text) !== undefined },
    },
    operation: {
      help: 'plan this operation only',
      value: { name: 'NAME', requires: 'the name of an operation', accepts: Boolean },
    },
    'max-calls': {
      help: 'exit with 1 if an operation makes more than N REST calls; without it, if it makes more than MAX_UPSTREAM_CALLS',
      value: { name: 'N', requires: 'a whole number', accepts: isCount },
    },
    against: {
      help: 'print what differs from BASE, a file with an older output of --json',
      value: { name: 'BASE', requires: 'a file', accepts: Boolean },
    },
    'max-increase': {
      help: 'exit with 1 if an operation of the base makes more than N REST calls more, for any length of its lists',
      value: { name: 'N', requires: 'a whole number', accepts: isCount },
    },
    ...viewingOptions,
    json: json('{ "operations": [...], "faults": [...] }, with "changes" or "forecast"'),
  },
  faultsOf(options) {
    const has = (name: string) => options.has(name);
    return [
      has('viewers') && has('against') && '--viewers and --against exclude each other',
      has('max-increase') && !has('against') && '--max-increase requires --against',
      has('viewers') && !has('every') && '--viewers requires --every',
      ...['every', 'latency', 'limit'].map(
        (name) => has(name) && !has('viewers') && `--${name} requires --viewers`,
      ),
    ].filter((fault) => fault !== false);
  },
  run: async (given, composition) => (await import('./plan.ts')).planFiles(argumentsFrom(given), composition),
};
