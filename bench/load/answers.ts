import { isDeepStrictEqual } from 'node:util';
import type { KeyedQuestion } from '../workloads/dialects.ts';

/**
 * Tells whether answers are right: the first to a question is parsed and compared with what has to come, and what was
 * found right once is right again when its bytes are the same.
 */
export function createChecker() {
  const right = new Map<KeyedQuestion, Buffer>();
  /** @throws Error with the beginning of the answer when it is wrong */
  return function check(question: KeyedQuestion, status: number, body: Buffer): void {
    if (status === 200 && right.get(question)?.equals(body)) return;
    const text = body.toString();
    if (status !== 200 || !isDeepStrictEqual(parsed(text), question.expected)) {
      const asked = `${question.method} ${question.path} ${question.body ?? ''}`;
      throw new Error(`wrong answer, ${status}: ${text.slice(0, 1000)}\nto ${asked.slice(0, 500)}`);
    }
    right.set(question, body);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
