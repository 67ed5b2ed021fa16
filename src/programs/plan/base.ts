import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { PlanSource } from '../../features/explain/index.ts';
import { parse } from '../../upstream/json.ts';
import { readCommit } from './commit.ts';
import { type PlannedOperations, plannedOperation } from './difference.ts';
import { disk, readDocuments } from './documents.ts';

/**
 * Reads what `--against` names: a commit, for the same `files` in it; older documents, in a file or folder; or
 * an older output of `--json`. Returns the reason if it cannot.
 */
export async function readBase(
  against: string,
  files: readonly string[],
  plan: (sources: readonly PlanSource[]) => PlannedOperations,
): Promise<PlannedOperations | string> {
  const isFile = existsSync(against);
  const commit = await readCommit(against).catch(reasonFrom);
  if (!isFile && typeof commit === 'string') return commit;
  if (isFile && typeof commit !== 'string') return 'it names a file and a commit; write ./FILE or refs/…';
  if (isFile && against.endsWith('.json')) {
    const [text] = await disk.readTexts([resolve(against)]);
    const { data } = output.safeParse(typeof text === 'string' && parse(text));
    if (data) return data;
  }
  const [names, tree] = typeof commit === 'string' ? [[against], disk] : [files, commit];
  const documents = await readDocuments(names, tree).catch(reasonFrom);
  if (typeof documents === 'string') return documents;
  const { sources, faults } = documents;
  if (isFile && sources.length === 0)
    return `the file has no operation: ${faults[0]?.message ?? 'it is empty'}`;
  const { operations, faults: inOperations } = plan(sources);
  // Files that a commit does not have are new. Those have no line.
  return { operations, faults: [...faults.filter(({ line }) => line), ...inOperations] };
}

const reasonFrom = ({ message }: Error): string => message;

/** What is read of an older output. */
const output = z.object({ operations: z.array(plannedOperation), faults: z.array(z.unknown()) });
