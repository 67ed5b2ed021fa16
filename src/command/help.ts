import manifest from '../../package.json' with { type: 'json' };
import { referenceSettings } from '../../reference/config.ts';
import { advanced, type Declared, sections as gatewaySections, settings } from '../config/settings.ts';
import type { CommandName } from './arguments.ts';

const referenceOnly = Object.fromEntries(
  Object.entries(referenceSettings.shape).filter(([name]) => !Object.hasOwn(settings.shape, name)),
);

/** Every setting by heading: those of the gateway, then those of the reference alone. */
export const sections: typeof gatewaySections = [
  ...gatewaySections,
  { heading: 'Reference', settings: advanced(referenceOnly) },
];

/** The same by name. */
export const declared = { ...settings.shape, ...referenceSettings.shape, ...settings.shape };

const WIDTH = 100;
const MARGIN = 34;

const everywhere = `  --help, -h                      print this text and exit
  --version                       print the version and exit`;

const usage = `Usage: portico                 start the gateway
       portico check-config    report all faults of the settings and exit
       portico check-upstream  compare the REST API with its document and exit
       portico print-schema    print the GraphQL schema in SDL and exit
       portico plan FILE...    print the REST calls that operations make and exit
       portico usage LOG...    print from logs which operations, clients or keys select a field or
                               spend the REST calls, and exit
       portico mcp             serve trusted documents to agents as tools, as a client of a gateway
       portico --help | --version
       portico COMMAND --help  print the options of one command and exit

The settings are environment variables; an empty one counts as unset. The default follows the =.`;

const usages: Record<CommandName, string> = {
  'check-config': `Usage: portico check-config

Reports all faults of the settings and of the trusted documents, and exits: with 0 if there is none,
with 1 otherwise. It opens no port and no connection.

${everywhere}

portico --help lists the settings.`,
  'check-upstream': `Usage: portico check-upstream [OPTION...]

Compares the REST API with its document by at most 40 GETs, with the key in PORTICO_API_KEY: which
rules hold, what the gateway does where not, and settings that help. Exits with 1 if a rule of level
MUST does not hold or nothing can be read, with 2 if an argument or a setting is missing or invalid.

  --site ID                       a site that the key can read
  --conversation ID               a conversation that the key can read
  --json                          print one JSON object: { "rules": [...], "settings": {...}, ... }
${everywhere}`,
  'print-schema': `Usage: portico print-schema

Prints the GraphQL schema in SDL and exits. It reads no settings.

  --live                          with Subscription, as a gateway with LIVE=on serves it
  --federation                    as a gateway with FEDERATION=on serves it to routers
${everywhere}`,
  plan: `Usage: portico plan FILE... [OPTION...]

Prints the REST calls that operations make, and exits: with 0 if the gateway accepts each of them
and none makes too many calls, with 1 otherwise. It needs neither a server nor a key.

FILE is a file, a folder or a glob; after a ! it is left out. A file holds a GraphQL document; if
its name ends in .json, it is a manifest of trusted documents; code (.ts, .tsx, .js, ...) has its
documents in graphql(...), gql and /* GraphQL */ template literals. All files but the manifests are
one set of documents: a fragment may be in another file than the operation.

  --variables JSON                the values of variables; a list without one counts as MAX_IDS ids
  --operation NAME                plan this operation only
  --max-calls N                   exit with 1 if an operation makes more than N REST calls; without
                                  it, if it makes more than MAX_UPSTREAM_CALLS
  --against BASE                  print what differs from BASE: the FILEs in a commit of git, or a
                                  file or folder with older documents, or an older --json
  --max-increase N                exit with 1 if an operation of the base makes more than N REST
                                  calls more, for any length of its lists
  --json                          print one JSON object: { "operations": [...], "faults": [...] },
                                  with "changes" of a comparison
  --markdown                      print the comparison as a table for a comment
${everywhere}

The settings that limit operations, and LIVE with its intervals, are read from the environment.
NODE_ENV is not: live queries are planned unless LIVE is off.`,
  usage: `Usage: portico usage LOG... [OPTION...]

Prints from the logs of gateways which operations, clients or keys spend the REST calls, or still
select a field, and exits: with 0, or with 1 if a log cannot be read. It needs neither a server nor
a key.

LOG is a file, or - for standard input. Lines that no gateway wrote are skipped and counted. Keys
are the digests that the log has.

  --field TYPE.FIELD              count the operations that select this field, such as Site.city
  --by GROUP                      key, client or operation (the default)
  --json                          print one JSON object: { "by": ..., "entries": [...], ... }
${everywhere}

The fields of trusted documents are read from the manifest that TRUSTED_DOCUMENTS names.`,
  mcp: `Usage: portico mcp --gateway URL --documents FILE [OPTION...]

Serves the trusted documents of a gateway to agents, by the Model Context Protocol. Each query with
a description is a tool. It exits with 1 if the documents cannot be tools.

  --gateway URL                   the endpoint of the gateway: https://portico.example.com/graphql
  --documents FILE                the manifest of trusted documents that the gateway has
  --port N                        serve http://127.0.0.1:N/mcp, where each request has its API key
                                  in x-api-key; 0 picks a free port
${everywhere}

Without --port it serves one agent on standard input and output, with the API key that the
environment has in PORTICO_API_KEY. The settings that limit operations, and those of the listener,
such as MAX_CONNECTIONS and REQUEST_TIMEOUT_MS, are read from the environment too.`,
};

/** The usage, and each setting with its default and meaning; or the usage of one command. */
export function helpFor(command: CommandName | undefined): string {
  if (command) return usages[command];
  const blocks = sections.flatMap(({ heading, settings }) => [
    `\n${heading}\n`,
    ...Object.entries(settings).map(blockFrom),
  ]);
  return [usage, ...blocks].join('\n');
}

function blockFrom([name, type]: [string, Declared[string]]): string {
  const fallback = defaultOf(type);
  return beside(`  ${name}${fallback === '' ? '' : `=${fallback}`}`, type.description ?? '');
}

/** The default as a text; empty where the setting has none. */
export function defaultOf(type: Declared[string]): string {
  return String(type.safeParse(undefined).data ?? '');
}

/** The text in a column to the right of the label, or below a label that is too long. */
function beside(label: string, text: string): string {
  const lines = text.match(new RegExp(`\\S.{0,${WIDTH - MARGIN - 1}}(?=\\s|$)`, 'g')) ?? [];
  const column = lines.map((line) => `${' '.repeat(MARGIN)}${line}`);
  if (label.length + 2 > MARGIN) return [label, ...column].join('\n');
  return [label.padEnd(MARGIN) + (lines[0] ?? ''), ...column.slice(1)].join('\n').trimEnd();
}

/** The version of this package. */
export const { version } = manifest;
