import { Client } from 'undici';
import type { KeyedQuestion } from '../workloads/dialects.ts';
import { createChecker } from './answers.ts';
import { ask } from './asking.ts';

export interface ClosedOutcome {
  requests: number;
  seconds: number;
  /** How much of its core the load took; above nine tenths it may have been what was measured. */
  loadShare: number;
}

/** When to stop asking: after so much time and so many requests, but no later than after most of the time. */
export interface Extent {
  seconds: number;
  requests: number;
  atMostSeconds: number;
}

/** So long, however many requests that makes. */
export function during(seconds: number): Extent {
  return { seconds, requests: 0, atMostSeconds: seconds };
}

/** Asks on so many connections, on each the next when the one before is answered. Rejects at the first wrong answer. */
export async function runClosed(
  url: string,
  questions: readonly KeyedQuestion[],
  connections: number,
  extent: Extent,
): Promise<ClosedOutcome> {
  const check = createChecker();
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let asked = 0;

  function isOver(): boolean {
    const seconds = (performance.now() - startedAt) / 1000;
    return (seconds >= extent.seconds && asked >= extent.requests) || seconds >= extent.atMostSeconds;
  }

  function runOne(client: Client): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        const question = questions[asked % questions.length];
        if (!question || isOver()) return resolve();
        asked += 1;
        ask(client, question, (error, status, body) => {
          try {
            if (error) throw error;
            check(question, status, body);
          } catch (wrong) {
            return reject(wrong);
          }
          next();
        });
      };
      next();
    });
  }

  const clients = Array.from({ length: connections }, () => new Client(url));
  await Promise.all(clients.map(runOne));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await Promise.all(clients.map((client) => client.destroy()));
  return { requests: asked, seconds, loadShare: (user + system) / 1_000_000 / seconds };
}
