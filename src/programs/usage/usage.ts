import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type GraphQLSchema, Kind, resolveSchemaCoordinate } from 'graphql';
import { createIdleGateway } from '../../command/check.ts';
import type { Given } from '../../command/command.ts';
import { shownPath } from '../../command/shown-path.ts';
import { tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readEnv } from '../../config/settings.ts';
import { readTrustedDocuments } from '../../features/trusted/index.ts';
import { shownName } from '../../observers/operation.ts';
import { coordinatesIn } from '../../operation/coordinates.ts';
import { isObject, parse } from '../../rest/json.ts';
import { createTally, type Grouping, idOf, type Tally } from './tally.ts';

/**
 * Counts, in logs of gateways, the operations that select a field, or the REST calls of all operations. It needs no
 * server and no key. Returns what `portico usage` prints to standard output, and the faults, which make it fail.
 */
export async function countUsage<Config extends CoreConfig>(
  { operands, options }: Given,
  composition: Composition<Config>,
) {
  const field = options.get('field');
  const by = (options.get('by') ?? 'operation') as Grouping;
  const tally = createTally(by, field);
  const found = field === undefined ? { faults: [] } : await addTrusted(field, tally, composition);
  if (found.faults.length > 0) return { lines: [], ...found };
  const faults: string[] = [];
  let [own, skipped] = [0, 0];
  // A log that is named twice counts once.
  for (const path of new Set(operands)) {
    try {
      for await (const line of createInterface(path === '-' ? process.stdin : createReadStream(path))) {
        const record = recordFrom(line);
        if (record) tally.onRecord(record);
        if (record) own += 1;
        else if (line.trim() !== '') skipped += 1;
      }
    } catch (error) {
      const name = (await shownPath(path)) ?? `LOG ${operands.indexOf(path) + 1}`;
      faults.push(`${name}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}`);
    }
  }
  if (faults.length === 0 && own === 0) faults.push("no line of the logs is a gateway's");
  // The counts of a part of the logs could be taken for those of all.
  if (faults.length > 0) return { lines: [], faults };
  const { entries, unknown } = tally.result();
  const columns = field === undefined ? (['calls', 'operations'] as const) : (['operations'] as const);
  if (options.has('json')) {
    const shown = entries.map(({ name, ...counts }) => ({
      [by]: name,
      ...Object.fromEntries(columns.map((column) => [column, counts[column]])),
    }));
    const json = { by, field, entries: shown, ...(field !== undefined && { unknown }), skipped };
    return { lines: [JSON.stringify(json)], faults };
  }
  const rows = entries.map((entry) => [entry.name, ...columns.map((column) => `${entry[column]}`)]);
  const nothing = field === undefined ? 'there is no operation in the logs' : `no operation selects ${field}`;
  const lines = rows.length > 0 ? tableFrom([by, ...columns], rows) : [nothing];
  if (unknown > 0) lines.push(`unknown: ${unknown} (operations whose fields are not in the logs)`);
  if (skipped > 0) lines.push(`skipped: ${skipped} (lines that no gateway wrote)`);
  return { lines, faults };
}

/** Returns the record of a line; undefined for a line that no gateway wrote. */
function recordFrom(line: string): Record<string, unknown> | undefined {
  const record = parse(line);
  const isOwn = isObject(record) && typeof record.level === 'string' && typeof record.time === 'string';
  return isOwn ? record : undefined;
}

/** Adds the trusted documents, whose fields are in no log. Returns faults if the schema has no such field. */
async function addTrusted<Config extends CoreConfig>(
  field: string,
  tally: Tally,
  composition: Composition<Config>,
): Promise<{ faults: string[] }> {
  const { TRUSTED_DOCUMENTS } = readEnv();
  // The logs may come from a gateway with all that is optional.
  const all = Object.fromEntries(composition.schemaTexts.flatMap(({ setting }) => Object.entries(setting)));
  const { config, faults = [] } = composition.settings.configFromEnv(all);
  if (!config) return { faults };
  const { schema, validate } = createIdleGateway(config, composition).operations;
  if (!isField(schema, field))
    return { faults: ['--field requires a field of the schema, such as Site.city'] };
  if (!TRUSTED_DOCUMENTS) return { faults: [] };
  const { documents, ...read } = await readTrustedDocuments(TRUSTED_DOCUMENTS, validate);
  for (const { text, document } of documents.values()) {
    for (const node of document.definitions) {
      if (node.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = node.name?.value;
      const id = idOf(hash('sha256', text), name === undefined ? null : shownName(name));
      tally.selects.set(id, coordinatesIn(schema, document, name).includes(field));
    }
  }
  return read;
}

/** True for the coordinate of a field (GraphQL, 3.14). */
function isField(schema: GraphQLSchema, text: string): boolean {
  try {
    return resolveSchemaCoordinate(schema, text)?.kind === 'Field';
  } catch {
    return false;
  }
}
