import { Pool } from 'undici';
import { send, type Traffic } from './send.ts';

const CONNECTIONS = 512;

export interface OpenLoopPlan {
  perSecond: number;
  /** Requests of this first time are not measured. */
  leadSeconds: number;
  seconds: number;
}

/**
 * An open loop: sends requests on a schedule that does not depend on the responses. The latency of a request counts from
 * the time at which it was due. Rejects at the first failure or wrong response; resolves with the latencies in milliseconds.
 */
export async function runOpenLoop(
  url: string,
  { perSecond, leadSeconds, seconds }: OpenLoopPlan,
  { next, validate }: Traffic,
): Promise<number[]> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const latencies: number[] = [];
  const startedAt = performance.now();
  const measuredFrom = startedAt + leadSeconds * 1000;
  const endsAt = measuredFrom + seconds * 1000;

  await new Promise<void>((resolve, reject) => {
    let dueAt = startedAt;
    let pending = 0;

    function sendOne(due: number): void {
      const operation = next(0);
      pending += 1;
      send(pool, operation, (error, response) => {
        pending -= 1;
        try {
          if (error) throw error;
          validate(operation, response);
        } catch (failure) {
          return reject(failure);
        }
        if (due >= measuredFrom) latencies.push(performance.now() - due);
        if (pending === 0 && dueAt >= endsAt) resolve();
      });
    }

    busyPoll(() => {
      for (; dueAt < endsAt && dueAt <= performance.now(); dueAt += 1000 / perSecond) sendOne(dueAt);
      return dueAt < endsAt;
    });
  }).finally(() => pool.destroy());
  return latencies;
}

/**
 * Runs `step` on every iteration of the event loop until it returns false. A timer would be up to a millisecond late, which
 * is more than some of the measured differences.
 */
export function busyPoll(step: () => boolean): void {
  const iterate = () => {
    if (step()) setImmediate(iterate);
  };
  setImmediate(iterate);
}
