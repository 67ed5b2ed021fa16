import type { KeyHolder } from '../caller.ts';

/** The gate of a key, by its name, is closed for so many milliseconds. */
export type Closure = [name: string, ms: number];

/** Where a gate closes in every gateway when it closes in one. */
export interface SharedGate {
  /** Of a key, in the closures: it reveals nothing of the key. */
  nameOf(caller: KeyHolder): string;
  /** Publishes to the other gateways. */
  publish(closures: readonly Closure[]): Promise<void>;
  /** Called once, with the gate of this process, which learns from then on what others publish. */
  attach(own: OwnGate): void;
}

/** The copy of this process, so that no call waits for others. */
export interface OwnGate {
  /** What is closed now. */
  closures(): Closure[];
  /** Never shortens. */
  extend(closures: Iterable<Closure>): void;
}
