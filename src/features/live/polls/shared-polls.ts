import type { Signal } from '../../../abort.ts';
import type { UpstreamResponse } from '../../../upstream/call.ts';
import type { KeyHolder } from '../../../upstream/caller.ts';
import type { Notices } from '../../../upstream/notices.ts';
import type { Relation } from '../../../upstream/resources.ts';

/** The polls that several gateways make together: one of them makes a call, the others take its body. */
export interface SharedPolls {
  /**
   * What another gateway's call has brought within the interval, or the lease to make the call. Waits while
   * another gateway makes it, and while the key may make no more. Undefined while nothing is shared, and
   * where what was found is of no use: the gateway makes the call alone. Rejects with the reason of the
   * signal.
   */
  acquire(request: PollRequest): Promise<{ found: Found } | { lease: Lease } | undefined>;
  /** Calls `onRevoked` when another gateway meets a 401 or 403, until the returned function is called. */
  watch(key: KeyHolder, resource: string, onRevoked: () => void): () => void;
}

/** What a poll wants of its next call. */
export interface PollRequest {
  key: KeyHolder;
  resource: string;
  include: readonly Relation[];
  intervalMs: number;
  /** Whether a load waits for it, which looks again soon and wants no failure of an earlier call. */
  isAwaited: boolean;
  /** `wait`: until the key may make another call. `count`: it is made at once, and counted. `free`: not counted. */
  turn: 'wait' | 'count' | 'free';
  /** GCRA: the time between two calls, and how much sooner a burst may come. In milliseconds. */
  limit: { apartMs: number; burstMs: number };
  signal: Signal;
}

/** What another gateway's call brought, and how long ago it began. */
export type Found =
  | { ageMs: number; status: number; body: Buffer; include: readonly Relation[]; notices: Notices | null }
  | { ageMs: number; error: Error };

/** The right to make the call: no other gateway makes it until an outcome is reported, or its deadline has passed. */
export interface Lease {
  onResponse(response: UpstreamResponse, include: readonly Relation[]): void;
  onError(error: Error): void;
}
