import * as z from 'zod';
import { type Cost, formulaOf, type Place } from '../../features/explain/index.ts';
import { parse } from '../../rest/json.ts';
import { readText } from './documents.ts';

const count = z.int().nonnegative();

/** The parts of a plan that a comparison reads. The names are no other texts than GraphQL has. */
const plannedOperation = z.object({
  /** Null if the operation has no name. */
  name: z.stringFormat('name', /^[_a-z]\w*$/i).nullable(),
  ...{ file: z.string(), documentId: z.string().exactOptional(), line: count, column: count },
  calls: z.array(z.unknown()),
  cost: z.object({
    forEach: z.array(z.object({ list: z.stringFormat('path', /^[\w.]+$/), calls: count.positive() })),
    ...{ known: count, limit: count },
  }),
  /** Of a live query, whose calls are those of one round. */
  live: z.object({ everySeconds: z.number().positive() }).exactOptional(),
});

type PlannedOperation = z.output<typeof plannedOperation>;

const output = z.object({ operations: z.array(plannedOperation) });

/** Reads an older output of `--json`. Returns the reason if it cannot. */
export async function readBase(file: string): Promise<readonly PlannedOperation[] | string> {
  const text = await readText(file).catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error) return `the file cannot be read: ${text.code ?? text.message}`;
  return output.safeParse(parse(text)).data?.operations ?? 'the file is no output of portico plan --json';
}

/** In the order in which they are listed. */
const kinds = ['dearer', 'new', 'cheaper', 'gone'] as const;

/** An operation whose cost differs from that in the base. */
export interface Change extends Place {
  kind: (typeof kinds)[number];
  name: string | null;
  /** The formulas; null if there is no such operation. */
  before: string | null;
  after: string | null;
  /** The most REST calls that it makes more, whatever the length of its lists; negative: fewer. */
  calls: number;
}

/**
 * Compares operations with those of a base, by their names, whatever files they are in. An operation without a
 * name is known by its calls. Of those with one name (a manifest keeps older ones) the dearest is compared.
 */
export function differenceOf(base: readonly PlannedOperation[], head: readonly PlannedOperation[]): Change[] {
  const [before, after] = [byIdentity(base), byIdentity(head)];
  const identities = new Set([...after.keys(), ...before.keys()]);
  const changes = [...identities].flatMap((one) => changeFrom(before.get(one), after.get(one)) ?? []);
  return kinds.flatMap((kind) => changes.filter((change) => change.kind === kind));
}

function byIdentity(operations: readonly PlannedOperation[]): Map<string, PlannedOperation> {
  const found = new Map<string, PlannedOperation>();
  for (const one of operations) {
    const identity = one.name ?? JSON.stringify(one.calls);
    const other = found.get(identity);
    if (!other || changeFrom(other, one)?.kind === 'dearer') found.set(identity, one);
  }
  return found;
}

/** Undefined if neither costs more. */
function changeFrom(before?: PlannedOperation, after?: PlannedOperation): Change | undefined {
  const operation = after ?? before;
  if (!operation) return undefined;
  const [more, fewer] = [increaseOf(before?.cost, after?.cost), increaseOf(after?.cost, before?.cost)];
  const [formerSeconds, seconds] = [before, after].map((one) => one?.live?.everySeconds ?? Infinity);
  const isDearer = more > 0 || Number(seconds) < Number(formerSeconds);
  const isCheaper = fewer > 0 || Number(seconds) > Number(formerSeconds);
  const changed = isDearer ? 'dearer' : isCheaper ? 'cheaper' : undefined;
  const kind = !before ? 'new' : !after ? 'gone' : changed;
  if (!kind) return undefined;
  const { name, file, documentId, line, column } = operation;
  return {
    ...{ kind, name, file, ...(documentId !== undefined && { documentId }), line, column },
    before: before ? formulaFor(before) : null,
    after: after ? formulaFor(after) : null,
    calls: kind === 'cheaper' || kind === 'gone' ? -fewer : more,
  };
}

function formulaFor({ cost, live }: PlannedOperation): string {
  return live ? `${formulaOf(cost)} every ${live.everySeconds} s` : formulaOf(cost);
}

const nothing: Cost = { known: 0, forEach: [], limit: 0 };

/**
 * The most calls that `after` makes more than `before`, by the length of one list that makes the most of it.
 * Lists are paired by what they cost: an alias costs nothing.
 */
function increaseOf(before = nothing, after = nothing): number {
  const { limit } = after;
  const [former, latter] = [before, after].map(({ forEach }) =>
    forEach.map(({ calls }) => calls).sort(descending),
  );
  const callsAt = ({ known }: Cost, each: number, length: number) =>
    Math.max(known, Math.min(known + each * length, limit));
  const increases = (latter ?? []).flatMap((calls, index) => {
    // The difference is the largest just before or just after the limit.
    const longest = Math.max(0, Math.floor((limit - after.known) / calls));
    return [longest, longest + 1].map(
      (length) => callsAt(after, calls, length) - callsAt(before, former?.[index] ?? 0, length),
    );
  });
  return Math.max(after.known - before.known, ...increases);
}

const descending = (one: number, other: number) => other - one;
