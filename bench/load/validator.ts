import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../workloads/operations.ts';
import type { LoadResponse } from './send.ts';

/**
 * Compares responses with the expected ones. The first response to a request is parsed; later ones are right if their bytes
 * are the same.
 */
export function createValidator() {
  const valid = new Map<object, Buffer>();
  /** @throws Error with the beginning of the response when it is wrong */
  return function validate({ expected, body: sent }: Operation, { status, body }: LoadResponse): void {
    if (status === 200 && valid.get(expected)?.equals(body)) return;
    const text = body.toString();
    if (status !== 200 || !isDeepStrictEqual(parsed(text), expected))
      throw new Error(`wrong response, ${status}: ${text.slice(0, 1000)}\nto ${sent.slice(0, 500)}`);
    valid.set(expected, body);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
