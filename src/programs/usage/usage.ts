import { hash } from 'node:crypto';
import { Kind } from 'graphql';
import { createIdleGateway } from '../../command/check.ts';
import { shownPath } from '../../command/shown-path.ts';
import { tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readEnv } from '../../config/settings.ts';
import { readTrustedDocuments } from '../../features/trusted/index.ts';
import { shownName } from '../../observers/operation.ts';
import { coordinatesIn, hasField } from '../../operation/coordinates.ts';
import type { UsageArguments } from './arguments.ts';
import { readLog } from './log-reader.ts';
import { createTally, idOf } from './tally.ts';

type Tally = ReturnType<typeof createTally>;
type Result = ReturnType<Tally['result']> & { skipped: number };

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
  let [own, skipped] = [0, 0];
  for (const [index, path] of logs.entries()) {
    const lines = await readLog(path, (record) => tally.onRecord(record)).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    const name = path === '-' ? 'standard input' : ((await shownPath(path)) ?? `LOG ${index + 1}`);
    if (lines instanceof Error) faults.push(`${name}: cannot be read: ${lines.code ?? lines.message}`);
    else if (lines.own === 0 && lines.foreign > 0) faults.push(`${name}: no line is a gateway's`);
    else {
      own += lines.own;
      skipped += lines.foreign;
    }
  }
  if (faults.length === 0 && own === 0) faults.push("no line of the logs is a gateway's");
  // The counts of a part of the logs could be taken for those of all.
  if (faults.length > 0) return { lines: [], faults };
  const result = { ...tally.result(), skipped };
  return { lines: isJson ? [JSON.stringify(jsonFrom(given, result))] : linesFrom(given, result), faults };
}

/** Adds the trusted documents, whose fields are in no log. Returns faults where there is no such field. */
async function addTrusted<Config extends CoreConfig>(
  field: string,
  tally: Tally,
  composition: Composition<Config>,
): Promise<{ faults: string[]; isMisuse?: boolean }> {
  const { TRUSTED_DOCUMENTS } = readEnv();
  // The logs may come from a gateway with all that is optional.
  const all = Object.fromEntries(composition.schemaTexts.flatMap(({ setting }) => Object.entries(setting)));
  const { config, faults = [] } = composition.settings.configFromEnv(all);
  if (!config) return { faults };
  const { schema, validate } = createIdleGateway(config, composition).operations;
  if (!hasField(schema, field))
    return { faults: ['--field requires a field of the schema, such as Site.city'], isMisuse: true };
  if (!TRUSTED_DOCUMENTS) return { faults: [] };
  const read = await readTrustedDocuments(TRUSTED_DOCUMENTS, validate);
  for (const { text, document } of read.documents?.values() ?? []) {
    for (const node of document.definitions) {
      if (node.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = node.name?.value;
      const id = idOf(hash('sha256', text), name === undefined ? null : shownName(name));
      tally.onDocument(id, coordinatesIn(schema, document, name));
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
  const columns = field === undefined ? (['calls', 'operations'] as const) : (['operations'] as const);
  const rows = entries.map((entry) => [entry.name, ...columns.map((column) => `${entry[column]}`)]);
  const isEmpty = field === undefined || operations === 0;
  const nothing = isEmpty ? 'there is no operation in the logs' : `no operation selects ${field}`;
  return [
    ...(rows.length > 0 ? tableFrom([by, ...columns], rows) : [nothing]),
    ...(unknown > 0 ? [`unknown: ${unknown} (operations whose fields are not in the logs)`] : []),
    ...(skipped > 0 ? [`skipped: ${skipped} (lines that no gateway wrote)`] : []),
  ];
}
