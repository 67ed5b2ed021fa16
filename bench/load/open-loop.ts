import { Pool } from 'undici';
import { busyPoll } from './busy-poll.ts';
import { type LoadRequest, send, type Traffic } from './send.ts';

const CONNECTIONS = 512;

export interface OpenLoopPlan {
  perSecond: number;
  /** Requests of this first time are not measured. */
  leadSeconds: number;
  seconds: number;
  /** The gaps between requests: all equal, or those of a Poisson process, drawn from `random`. */
  arrivals: 'even' | { random: () => number };
}

/**
 * An open loop: sends requests on a schedule that does not depend on the responses. The latency of a request counts from
 * the time at which it was due. Rejects at the first failure or wrong response; resolves with how late the requests were
 * sent, in milliseconds.
 */
export async function runOpenLoop<R extends LoadRequest>(
  url: string,
  { perSecond, leadSeconds, seconds, arrivals }: OpenLoopPlan,
  { next, onResponse }: Traffic<R>,
): Promise<number[]> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const lateMs: number[] = [];
  const startedAt = performance.now();
  const measuredFrom = startedAt + leadSeconds * 1000;
  const endsAt = measuredFrom + seconds * 1000;
  const gapMs = (): number =>
    ((arrivals === 'even' ? 1 : -Math.log(1 - arrivals.random())) * 1000) / perSecond;

  await new Promise<void>((resolve, reject) => {
    let dueAt = startedAt;
    let pending = 0;

    function sendOne(due: number): void {
      const request = next();
      const isMeasured = due >= measuredFrom;
      if (isMeasured) lateMs.push(performance.now() - due);
      pending += 1;
      send(pool, request, (error, response) => {
        pending -= 1;
        try {
          if (error) throw error;
          onResponse(request, response, performance.now() - due, isMeasured);
        } catch (failure) {
          return reject(failure);
        }
        if (pending === 0 && dueAt >= endsAt) resolve();
      });
    }

    busyPoll(() => {
      while (dueAt < endsAt && dueAt <= performance.now()) {
        sendOne(dueAt);
        dueAt += gapMs();
      }
      return dueAt < endsAt;
    });
  }).finally(() => pool.destroy());
  return lateMs;
}

/** The value below which this share of the numbers is; NaN if there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
