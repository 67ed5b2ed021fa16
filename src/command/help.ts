import { referenceSettings } from '../../reference/config.ts';
import type { Declared } from '../config/declaration.ts';
import type { Sections, Settings } from '../config/settings.ts';
import type { Command, Option } from './command.ts';

/** Every setting by heading: those of the gateway, then those of the reference alone. */
export function allSections({ sections }: Pick<Settings<unknown>, 'sections'>): Sections {
  const gateways: Declared = Object.assign({}, ...Object.values(sections));
  const referenceOnly = Object.entries(referenceSettings.shape).filter(([name]) => !gateways[name]);
  return { ...sections, Reference: Object.fromEntries(referenceOnly) };
}

const WIDTH = 100;
const MARGIN = 34;

const everywhere = {
  'help, -h': { help: 'print this text and exit' },
  version: { help: 'print the version and exit' },
};

/** The usage, and the names of all settings; or the usage of one command. */
export function helpFor(
  command: Command | undefined,
  commands: readonly Command[],
  settings: Settings<unknown>,
): string {
  if (command) return usageOf(command);
  const headings = Object.entries(allSections(settings)).map(([heading, settings]) => {
    const labels = Object.entries(settings).map(([name, type]) => [name, defaultOf(type)]);
    return beside(`  ${heading}`, labels.map((label) => label.filter(Boolean).join('=')).join(' '), 18);
  });
  const listed = commands.map(({ usage, summary }) =>
    beside(`       portico ${usage.replace(/ (\[|--).*/, '')}`, summary, 31),
  );
  return [
    'Usage: portico                 start the gateway',
    ...listed,
    '       portico --help | --version',
    '       portico help COMMAND    print the options of one command and exit',
    '\nThe settings are environment variables, described in docs/settings.md. The default follows the =.\n',
    ...headings,
  ].join('\n');
}

function usageOf({ usage, about, options }: Command): string {
  const listed = Object.entries<Option>({ ...options, ...everywhere }).map(([name, { help, value }]) =>
    beside(`  --${name}${value ? ` ${value.name}` : ''}`, help),
  );
  return [`Usage: portico ${usage}`, about, listed.join('\n')].join('\n\n');
}

/** The default as a text; empty if the setting has none. */
export function defaultOf(type: Declared[string]): string {
  return String(type.safeParse(undefined).data ?? '');
}

/** The text in a column to the right of the label, or below a label that is too long. */
function beside(label: string, text: string, margin = MARGIN): string {
  const lines = text.match(new RegExp(`\\S.{0,${WIDTH - margin - 1}}(?=\\s|$)`, 'g')) ?? [];
  const column = lines.map((line) => `${' '.repeat(margin)}${line}`);
  if (label.length + 2 > margin) return [label, ...column].join('\n');
  return [label.padEnd(margin) + (lines[0] ?? ''), ...column.slice(1)].join('\n').trimEnd();
}
