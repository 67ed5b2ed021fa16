import { hash } from 'node:crypto';
import { Kind } from 'graphql';
import { createIdleGateway } from '../../command/check.ts';
import { shownPath } from '../../command/shown-path.ts';
import { tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readEnv } from '../../config.ts';
import { readTrustedDocuments } from '../../features/trusted/index.ts';
import { shownName } from '../../observers/operation.ts';
import type { UsageArguments } from './arguments.ts';
import { readLog } from './log-reader.ts';
import { createTally } from './tally.ts';

type Tally = ReturnType<typeof createTally>;
type Result = ReturnType<Tally['result']>;

/**
 * Counts, in logs of gateways, the operations that select a field, or the REST calls of all operations. It
 * needs no server and no key. Returns what `portico usage` prints to standard output, and the faults, which
 * make it fail; `isMisuse`: they are faults of the arguments.
 */
export async function countUsage<Config extends CoreConfig>(
  given: UsageArguments,
  composition: Composition<Config>,
) {
  const { by, field, logs, isJson } = given;
  const tally = createTally(by, field);
  const found = field === undefined ? { faults: [] } : await addTrusted(field, tally, composition);
  if (found.faults.length > 0) return { lines: [], ...found };
  const faults: string[] = [];
  let hasLines = false;
  for (const [index, path] of logs.entries()) {
    let [own, foreign] = [0, 0];
    const reason = await readLog(path, (line) => {
      if (line === 'foreign') foreign += 1;
      else own += 1;
      tally.addLine(line);
    }).catch((error: NodeJS.ErrnoException) => `cannot be read: ${error.code ?? error.message}`);
    hasLines ||= own > 0;
    const name = path === '-' ? 'standard input' : ((await shownPath(path)) ?? `LOG ${index + 1}`);
    if (reason) faults.push(`${name}: ${reason}`);
    else if (own === 0 && foreign > 0) faults.push(`${name}: no line is a gateway's`);
  }
  if (faults.length === 0 && !hasLines) faults.push("no line of the logs is a gateway's");
  // The counts of a part of the logs could be taken for those of all.
  if (faults.length > 0) return { lines: [], faults };
  const result = tally.result();
  return { lines: isJson ? [JSON.stringify(jsonFrom(given, result))] : linesFrom(given, result), faults: [] };
}

/** Adds the trusted documents, whose fields are in no log. Returns faults where there is no such field. */
async function addTrusted<Config extends CoreConfig>(
  field: string,
  tally: Tally,
  composition: Composition<Config>,
): Promise<{ faults: string[]; isMisuse?: boolean }> {
  const { TRUSTED_DOCUMENTS } = readEnv();
  // The logs may come from a gateway with all that is optional.
  const all = Object.fromEntries(
    composition.schemaTexts.flatMap(({ setting }) => Object.entries(setting ?? {})),
  );
  const { config, faults = [] } = composition.settings.configFromEnv(all);
  if (!config) return { faults };
  const { coordinates, operations } = createIdleGateway(config, composition);
  if (!coordinates.has(field))
    return { faults: ['--field requires a field of the schema, such as Site.city'], isMisuse: true };
  if (!TRUSTED_DOCUMENTS) return { faults: [] };
  const read = await readTrustedDocuments(TRUSTED_DOCUMENTS, operations.validate);
  for (const { text, document } of read.documents?.values() ?? []) {
    for (const node of document.definitions) {
      if (node.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = node.name?.value;
      const operation = name === undefined ? null : shownName(name);
      tally.addDocument({
        documentHash: hash('sha256', text),
        operation,
        fields: coordinates.of(document, name),
      });
    }
  }
  return { faults: read.faults ?? [] };
}

function jsonFrom({ by, field }: UsageArguments, { entries, unknown, skipped }: Result) {
  return {
    by,
    field,
    entries: entries.map(({ name, calls, operations }) => ({
      [by]: name,
      ...(field === undefined && { calls }),
      operations,
    })),
    ...(field !== undefined && { unknown }),
    skipped,
  };
}

function linesFrom(
  { by, field }: UsageArguments,
  { entries, operations, unknown, skipped }: Result,
): string[] {
  const rows = entries.map(({ name, calls, operations }) =>
    field === undefined ? [name, `${calls}`, `${operations}`] : [name, `${operations}`],
  );
  const heading = field === undefined ? [by, 'calls', 'operations'] : [by, 'operations'];
  const nothing =
    field === undefined || operations === 0
      ? 'there is no operation in the logs'
      : `no operation selects ${field}`;
  return [
    ...(rows.length > 0 ? tableFrom(heading, rows) : [nothing]),
    ...(unknown > 0 ? [`unknown: ${unknown} (operations whose fields are not in the logs)`] : []),
    ...(skipped > 0 ? [`skipped: ${skipped} (lines that no gateway wrote)`] : []),
  ];
}
