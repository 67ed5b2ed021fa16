import assert from 'node:assert/strict';
import type { SentPart } from './incremental.ts';

type Errors = NonNullable<SentPart['errors']>;
type Tree = Record<string | number, unknown>;

/**
 * Merges the parts of a response as a client does, entry by entry: fails if the target of an entry is not there
 * yet, if an id is used that is not pending, and if one is pending in the end.
 */
export function mergeParts([first, ...later]: readonly SentPart[]): {
  data: SentPart['data'];
  errors: Errors;
} {
  assert(first?.data !== undefined);
  const data = structuredClone(first.data);
  const hasNext = [first, ...later].map((part) => part.hasNext ?? false);
  assert.deepEqual(hasNext, [...later.map(() => true), false]);
  const pending = new Map<string, (string | number)[]>();
  const errors: Errors = [];
  for (const part of [first, ...later]) {
    for (const { id, path } of part.pending ?? []) {
      assert(!pending.has(id), `${id} is announced once`);
      pending.set(id, path);
    }
    errors.push(...(part.errors ?? []));
    for (const entry of part.incremental ?? []) {
      errors.push(...(entry.errors ?? []));
      const path = entry.id === undefined ? entry.path : pending.get(entry.id);
      assert(path, 'an entry has a path, or the id of what is pending');
      if (entry.items && entry.id === undefined) insert(data, path, entry.items);
      else if (entry.items) insert(data, [...path, lengthOf(at(data, path))], entry.items);
      else if (entry.data) lay(treeFrom(at(data, path)), treeFrom(entry.data));
    }
    for (const { id, errors: own = [] } of part.completed ?? []) {
      assert(pending.delete(id), `${id} is pending until it is completed`);
      errors.push(...own);
    }
  }
  assert.deepEqual([...pending], [], 'all that was announced is completed');
  return { data, errors };
}

function at(data: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((tree: unknown, step) => treeFrom(tree)[step], data);
}

function treeFrom(value: unknown): Tree {
  assert(typeof value === 'object' && value !== null, 'the target is there');
  return value as Tree;
}

function lengthOf(list: unknown): number {
  assert(Array.isArray(list));
  return list.length;
}

/** `path` ends with the index of the first one. In v0.1 a list may be streamed twice. */
function insert(data: unknown, path: readonly (string | number)[], items: readonly unknown[]): void {
  const list = treeFrom(at(data, path.slice(0, -1)));
  for (const [n, item] of items.entries()) {
    const index = Number(path.at(-1)) + n;
    assert(index <= lengthOf(list), 'items arrive in order');
    lay(list, { [index]: item });
  }
}

/** A part may repeat fields; then both values are equal. */
function lay(place: Tree, data: Tree): void {
  for (const [key, value] of Object.entries(data)) {
    const there = place[key];
    if (typeof there === 'object' && there !== null && value !== null) lay(treeFrom(there), treeFrom(value));
    else if (key in place) assert.deepEqual(value, there);
    else place[key] = value;
  }
}
