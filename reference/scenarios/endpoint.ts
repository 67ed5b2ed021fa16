import type { IncomingMessage } from 'node:http';
import { responseFromProblem } from '../http/problems.ts';
import { type ApiResponse, responseFromJson } from '../http/response.ts';
import { pathFromTarget } from '../http/targets.ts';
import { scenarioFromJson } from './scenario.ts';
import type { Scenarios } from './scenarios.ts';

const BODY_MAX_BYTES = 1_000;
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

export function isScenarioTarget(target: string): boolean {
  return pathFromTarget(target) === '/__scenario';
}

/**
 * Sets the scenario of a `POST`, and responds with it and its defaults. Other machines get the 404 of an unknown
 * address. A browser marks each request of a web page, which anyone may have written, and it is rejected.
 */
export async function handleScenario(incoming: IncomingMessage, scenarios: Scenarios): Promise<ApiResponse> {
  const { method, headers, socket } = incoming;
  if (method !== 'POST' || !LOOPBACK.test(socket.remoteAddress ?? ''))
    return responseFromProblem('not-found');
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    return responseFromProblem('web-page-rejected');
  }
  // Rejects when the client disconnects.
  const body = await readBody(incoming).catch(() => null);
  if (body === null)
    return responseFromProblem('bad-scenario', `the body must be at most ${BODY_MAX_BYTES} bytes`);
  const read = scenarioFromJson(body);
  if ('fault' in read) return responseFromProblem('bad-scenario', read.fault);
  scenarios.set(read.scenario);
  return responseFromJson(JSON.stringify(read.scenario ?? {}));
}

/** Null for a longer body, of which the rest is not read. */
async function readBody(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  const received: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of received) {
    length += chunk.length;
    if (length > BODY_MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
