import { createHistogram } from 'node:perf_hooks';
import { Pool } from 'undici';
import type { KeyedQuestion } from '../workloads/dialects.ts';
import { createChecker } from './answers.ts';
import { ask } from './asking.ts';
import { spin } from './spin.ts';

const CONNECTIONS = 512;

export interface OpenOutcome {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  /** How late questions were sent, 99 of 100 of them: what the load itself may have added. */
  lateP99Ms: number;
}

interface Schedule {
  perSecond: number;
  /** Before anything counts. */
  leadSeconds: number;
  seconds: number;
}

/**
 * Asks at fixed moments that do not wait for the answers. A latency counts from when its question was due. Rejects at the
 * first wrong answer.
 */
export async function runOpen(
  url: string,
  questions: readonly KeyedQuestion[],
  { perSecond, leadSeconds, seconds }: Schedule,
): Promise<OpenOutcome> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const check = createChecker();
  const took = createHistogram();
  const late = createHistogram();
  const startedAt = performance.now();
  const total = Math.round((leadSeconds + seconds) * perSecond);
  const first = Math.round(leadSeconds * perSecond);
  const dueAt = (nth: number) => startedAt + (nth / perSecond) * 1000;

  await new Promise<void>((resolve, reject) => {
    let sent = 0;
    let answered = 0;
    const send = (nth: number, question: KeyedQuestion) => {
      if (nth >= first) late.record(microsecondsSince(dueAt(nth)));
      ask(pool, question, (error, status, body) => {
        if (nth >= first) took.record(microsecondsSince(dueAt(nth)));
        try {
          if (error) throw error;
          check(question, status, body);
        } catch (wrong) {
          return reject(wrong);
        }
        answered += 1;
        if (answered === total) resolve();
      });
    };
    spin(() => {
      while (sent < total && dueAt(sent) <= performance.now()) {
        const question = questions[sent % questions.length];
        if (question) send(sent, question);
        sent += 1;
      }
      return answered < total && sent < total;
    });
  });
  await pool.destroy();
  return {
    requests: took.count,
    p50Ms: took.percentile(50) / 1000,
    p99Ms: took.percentile(99) / 1000,
    lateP99Ms: late.percentile(99) / 1000,
  };
}

function microsecondsSince(then: number): number {
  return Math.max(1, Math.round((performance.now() - then) * 1000));
}
