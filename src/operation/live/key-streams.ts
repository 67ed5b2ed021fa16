import type { DocumentNode } from 'graphql';
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

  /** A document counts once, however many groups execute it. False where there is no room for the operation. */
  hold({ query: { document }, variablesBytes }: LiveOperation): boolean {
    const holders = this.#holders.get(document) ?? 0;
    if (!this.memory.replace(0, variablesBytes + (holders === 0 ? bytesOf(document) : 0))) return false;
    this.#holders.set(document, holders + 1);
    return true;
  }

  release({ query: { document }, variablesBytes }: LiveOperation): void {
    const holders = (this.#holders.get(document) ?? 1) - 1;
    this.memory.replace(variablesBytes + (holders === 0 ? bytesOf(document) : 0), 0);
    if (holders === 0) this.#holders.delete(document);
    else this.#holders.set(document, holders);
  }
}
