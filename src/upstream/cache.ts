import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';
import type { Life } from './freshness.ts';

/** An answer of the REST API, kept for the key that it was given to. */
export interface Kept {
  /** The body, byte for byte: every reader makes objects of his own of it. */
  body: Buffer;
  /** When it came, in milliseconds since 1970. */
  atMs: number;
  life: Life;
}

/** Keeps answers, each key's for itself. What it loses costs a call and nothing else. */
export interface Cache {
  /** The first that is kept under one of these paths and still fresh; where none is, the first that is stale. */
  find(caller: Caller, paths: readonly string[]): Kept | undefined | Promise<Kept | undefined>;
  keep(caller: Caller, path: string, kept: Kept): void;
  /** Forgets what it has of these. */
  drop(caller: Caller, paths: readonly string[]): void;
}

/** Keeps answers in this process, up to `maxBytes` of them; the longest unused go first. */
export function createMemoryCache(maxBytes: number): Cache {
  const entries = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
  });
  return {
    find: ({ owner }, paths) => bestOf(paths.map((path) => entries.get(nameOf(owner, path)))),
    keep({ owner }, path, { body, atMs, life }) {
      // A copy of its own: small bodies are slices of a larger block, which they would hold whole.
      const own = Buffer.allocUnsafeSlow(body.length);
      body.copy(own);
      entries.set(nameOf(owner, path), { body: own, atMs, life }, { ttl: life.freshMs + life.staleMs });
    },
    drop({ owner }, paths) {
      for (const path of paths) entries.delete(nameOf(owner, path));
    },
  };
}

/** What an entry takes besides its body, about. */
const OVERHEAD_BYTES = 300;

/** A digest has one length, so no two of these pairs make one name. */
function nameOf(owner: string, path: string): string {
  return owner + path;
}

/** The first fresh one, else the first stale one; none that is older. */
export function bestOf(found: readonly (Kept | undefined)[]): Kept | undefined {
  return found.find((kept) => kept && isFresh(kept)) ?? found.find((kept) => kept && !isOver(kept));
}

export function isFresh({ atMs, life }: Kept): boolean {
  return Date.now() < atMs + life.freshMs;
}

function isOver({ atMs, life }: Kept): boolean {
  return Date.now() >= atMs + life.freshMs + life.staleMs;
}
