import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPreflightLog } from '../../../src/features/browser/cors.ts';
import { kinds, site, startKinds } from '../../http/kinds.ts';
import { apiKey } from '../../support/gateway.ts';
import { send, type WireRequest } from '../../support/wire.ts';

const listed = 'https://app.example.com';
const env = { CORS_ORIGINS: `https://other.example.com:8443, ${listed}` };
const allowedFields =
  'content-type, x-api-key, x-explain, x-max-calls, x-request-id, traceparent, tracestate, baggage, sentry-trace, apollographql-client-name, apollographql-client-version, x-client-name, x-client-version, apollo-require-preflight';
const exposedFields =
  'retry-after, x-request-id, ratelimit, ratelimit-policy, deprecation, sunset, server-timing';

function fromOrigin(origin: string, wire: WireRequest): WireRequest {
  return { ...wire, headers: { ...wire.headers, origin } };
}

/** The header fields that say what a page may read, `vary` included. */
function corsOf({ headers }: Awaited<ReturnType<typeof send>>) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(vary|timing-allow-origin|access-control-.+)$/.test(name)),
  );
}

describe('a page of a listed origin', () => {
  it.each(kinds)('reads %s (%i)', async (_, status, wire) => {
    const response = await send((await startKinds(env)).origin, fromOrigin(listed, wire));
    expect(response.status).toBe(status);
    const { vary, ...rest } = corsOf(response);
    expect(rest).toEqual({
      'access-control-allow-origin': listed,
      'access-control-expose-headers': exposedFields,
      'timing-allow-origin': listed,
    });
    expect(String(vary).split(', ')).toContain('origin');
  });

  it('may send the fields of a client', async () => {
    const response = await send((await startKinds(env)).origin, preflight(listed));
    expect(response).toMatchObject({ status: 204, body: '', headers: { 'cache-control': 'no-store' } });
    expect(corsOf(response)).toEqual({
      vary: 'origin',
      'access-control-allow-origin': listed,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': allowedFields,
      'access-control-expose-headers': exposedFields,
      'access-control-max-age': '7200',
      'timing-allow-origin': listed,
    });
  });
});

function preflight(origin: string): WireRequest {
  return {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    },
  };
}

const unlisted = [
  ...['https://app.example.com.elsewhere.test', 'https://app.example.com:8443', 'http://app.example.com'],
  ...['null', '*'],
];

it.each(kinds)('pages of other origins read nothing of %s (%i)', async (_, status, wire) => {
  const gateway = await startKinds(env);
  for (const origin of unlisted) {
    const response = await send(gateway.origin, fromOrigin(origin, wire));
    expect(response.status).toBe(status);
    const { vary, ...rest } = corsOf(response);
    expect(rest).toEqual({});
    expect(String(vary).split(', ')).toContain('origin');
  }
});

it('pages of other origins may not send requests', async () => {
  const gateway = await startKinds(env);
  for (const origin of unlisted) {
    const response = await send(gateway.origin, preflight(origin));
    expect(response).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    expect(corsOf(response)).toEqual({ vary: 'origin' });
  }
});

it.each<[string, NodeJS.ProcessEnv, string, string]>([
  ['where none is', {}, 'http://localhost:5173', 'http://localhost:5173'],
  ['whatever it holds', env, 'a "b"\t\u00e9%0a', 'a??b????0a'],
  ['up to 100 characters', env, `https://${'x'.repeat(5000)}`, `https://${'x'.repeat(92)}`],
  ['without a key', env, apiKey, '[redacted]'],
])('logs a rejected preflight with its origin and CORS_ORIGINS %s, once', async (_, set, origin, shown) => {
  const gateway = await startKinds(set);
  for (let n = 0; n < 3; n += 1) {
    const request = preflight(origin);
    const response = await send(gateway.origin, {
      ...request,
      headers: { ...request.headers, 'x-api-key': apiKey },
    });
    expect(response.status).toBe(405);
  }
  const lines = gateway.lines.filter((line) => line.includes('CORS_ORIGINS'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`CORS_ORIGINS does not list ${shown}: `);
});

it('logs rejected preflights at most once per minute', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const startedAtMs = performance.now();
  const lines: string[] = [];
  const logRejected = createPreflightLog(
    (line) => lines.push(line),
    () => [],
  );
  const times = [5, 6, 60_004, 60_005, 60_006, 120_004, 120_005, 500_000];
  for (const [n, atMs] of times.entries()) {
    vi.advanceTimersByTime(startedAtMs + atMs - performance.now());
    logRejected(`https://${n}.test`);
  }
  expect(lines.map((line) => /https:\/\/(\d)/.exec(line)?.[1])).toEqual(['0', '3', '6', '7']);
});

it('allows every origin where CORS_ORIGINS is *', async () => {
  const { origin } = await startKinds({ CORS_ORIGINS: '*' });
  const response = await send(origin, fromOrigin('https://elsewhere.test', site));
  expect(corsOf(response)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedFields,
    'timing-allow-origin': '*',
  });
  expect(await send(origin, preflight('https://elsewhere.test'))).toMatchObject({ status: 204 });
});
