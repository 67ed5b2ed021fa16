import type { Send, UpstreamRequest } from '../../../../../src/upstream/call.ts';
import { responseOf } from '../../../../support/response.ts';
import { bareSite, siteFromPath } from '../../../../support/upstream.ts';

/** Why a gateway makes a call: with a lease, for a load that waits for it, or because Redis did not answer. */
export type Permission = 'lease' | 'awaited' | 'alone';

export interface Call {
  key: string;
  id: string;
  atMs: number;
  permission: Permission;
  /** The status, 0 for a call that was aborted, -1 until it ends. */
  status: number;
}

interface Sender {
  permission: Permission;
  isDead(): boolean;
}

/** Whole seconds, as the upstream asks for after a 429. */
export const RETRY_AFTER_S = 3;

/** The REST API: a version of each site, which its data shows, and what it responds to each key. */
export class Upstream {
  readonly calls: Call[] = [];
  readonly limited = new Set<string>();
  /** With the time. */
  readonly revoked = new Map<string, number>();
  readonly #versions = new Map<string, number>();
  readonly #latencyMs: () => number;

  /** `latencyMs` is drawn for each call; Infinity: no response comes. */
  constructor(latencyMs: () => number) {
    this.#latencyMs = latencyMs;
  }

  change(id: string): void {
    this.#versions.set(id, (this.#versions.get(id) ?? 0) + 1);
  }

  /** What a query shows now. */
  valueOf(key: string, id: string): string {
    return `${key} ${id} ${this.#versions.get(id) ?? 0}`;
  }

  #response(key: string, id: string) {
    if (this.revoked.has(key)) return responseOf(403);
    if (this.limited.has(key)) return { ...responseOf(429), retryAfter: RETRY_AFTER_S };
    return responseOf(200, JSON.stringify({ ...bareSite(id), city: this.valueOf(key, id) }));
  }

  /** Of one gateway. */
  transportOf(senderOf: (request: UpstreamRequest) => Sender): Send {
    return (request, done) => {
      const { caller, target, signal } = request;
      const { permission, isDead } = senderOf(request);
      const { id } = siteFromPath(target.path);
      const call: Call = { key: caller.apiKey, id, atMs: performance.now(), permission, status: -1 };
      this.calls.push(call);
      request.isSent = true;
      const response = { ...this.#response(caller.apiKey, id), sentPath: target.path };
      const end = (outcome: Parameters<typeof done>[0]) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        call.status = outcome instanceof Error ? 0 : outcome.status;
        if (isDead()) return;
        request.connection?.release();
        done(outcome);
      };
      const onAbort = () => end(signal.reason);
      const latencyMs = this.#latencyMs();
      const timer = latencyMs === Infinity ? undefined : setTimeout(end, latencyMs, response);
      signal.addEventListener('abort', onAbort);
    };
  }
}
