import manifest from '../../package.json' with { type: 'json' };
import type { Declared } from '../config/kinds.ts';
import type { Section } from '../config/settings.ts';

const WIDTH = 100;
const MARGIN = 34;

const usage = `Usage: portico [--config FILE]                start the gateway
       portico check-config [--config FILE]   report all faults of the settings and exit
       portico print-schema                   print the GraphQL schema in SDL and exit
       portico plan FILE...                   print the REST calls that operations make and exit
       portico --help | --version

Options of plan:
  --variables JSON                the values of variables; a list without one counts as MAX_IDS ids
  --operation NAME                plan this operation only
  --max-calls N                   exit with 1 if an operation makes more than N REST calls; without
                                  it, if it makes more than MAX_UPSTREAM_CALLS
  --json                          print the plans as JSON

FILE of plan is a GraphQL document or, if its name ends in .json, a manifest of trusted documents.

FILE of --config is a YAML map of the settings below. Environment variables of the same names
override it; an empty one counts as unset. The default follows the =.`;

/** The text of `portico --help`: the usage, and each setting with its default and meaning. */
export function helpFrom(sections: readonly Section[]): string {
  const blocks = sections.map(({ heading, common, advanced }) =>
    [`\n${heading}\n`, ...Object.entries({ ...common, ...advanced }).map(blockFrom)].join('\n'),
  );
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
