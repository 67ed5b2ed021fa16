import type { DocumentNode } from 'graphql';
import { overloaded, tooManyLiveBytes } from '../../errors.ts';
import type { KeyMemory } from '../../upstream/polls/memory-limit.ts';
import { bytesOf } from '../document/limits.ts';
import type { LiveOperation } from './live-operation.ts';

/** The open streams of one key, and the operations that they hold in memory. */
export class KeyStreams {
  readonly memory: KeyMemory;
  count = 0;
  /** How many groups hold each document. */
  readonly #holders = new Map<DocumentNode, number>();

  constructor(memory: KeyMemory) {
    this.memory = memory;
  }

  /** A document counts once, however many groups execute it. @throws a GraphQLError where there is no room for the operation */
  hold({ query: { document }, variablesBytes }: LiveOperation): void {
    const holders = this.#holders.get(document) ?? 0;
    keep(this.memory, 0, variablesBytes + (holders === 0 ? bytesOf(document) : 0));
    this.#holders.set(document, holders + 1);
  }

  release({ query: { document }, variablesBytes }: LiveOperation): void {
    const holders = (this.#holders.get(document) ?? 1) - 1;
    this.memory.replace(variablesBytes + (holders === 0 ? bytesOf(document) : 0), 0);
    if (holders === 0) this.#holders.delete(document);
    else this.#holders.set(document, holders);
  }
}

/** Replaces `before` bytes by `after`. @throws a GraphQLError where the key, or the gateway, keeps too much */
export function keep(memory: KeyMemory, before: number, after: number): void {
  if (memory.replace(before, after)) return;
  throw memory.isFullFor(after - before) ? tooManyLiveBytes(memory.limit) : overloaded();
}
