import { expect } from 'vitest';
import { startGatewayProcess } from '../../support/gateway-process.ts';
import { startStrictUpstream } from '../../support/upstreams/strict.ts';
import { expectNoLeak, leaksOf, type ReadResponse } from './rules.ts';

/** The event loop of the gateway was blocked by one of the requests in progress. */
export class Stall extends Error {
  override readonly name = 'Stall';
}

export interface TestSetup {
  origin(): string;
  /** Calls `send`, which sends the text `sent` with `key` in it, and checks what must hold for any request. */
  check(key: string, sent: string, send: () => Promise<ReadResponse[]>): Promise<void>;
  /** Sends a valid request, and expects the usual response. */
  expectHealthy(): Promise<void>;
  close(): Promise<void>;
}

const KEPT_REQUESTS = 64;

const healthyKey = 'healthy-0123456789-abcdef';
const healthyDocument = '{ site(id: "SITE-1") { id city clients { name } } }';
const healthyResponse = {
  data: {
    site: {
      id: 'SITE-1',
      city: 'Åre',
      clients: [{ name: 'Client SITE-1-c1' }, { name: 'Client SITE-1-c2' }],
    },
  },
};

/** A gateway process in front of a correct upstream; when the process has exited, the next check starts another. */
export async function startTestSetup(): Promise<TestSetup> {
  const known = new Set([healthyKey]);
  const recent: string[] = [];
  // A request that is altered inside its key has another key, and may be in progress after its connection has closed.
  const isSent = (key: string) => known.has(key) || recent.some((sent) => sent.includes(key));
  const upstream = await startStrictUpstream(isSent);
  let written = '';
  const notes: string[] = [];
  const start = () =>
    startGatewayProcess(upstream.url, {
      env: { GRAPHIQL: 'on' },
      onLine(line) {
        if (/^\{"level":"(info|warn)"/.test(line)) notes.push(line);
        else written += `${line}\n`;
      },
    });
  let gateway = await start();

  const marks = async () => ({
    stalls: await gateway.read('stalls'),
    written,
    violations: [...upstream.violations],
  });

  const setup: TestSetup = {
    origin: () => gateway.origin,
    async check(key, sent, send) {
      if (gateway.hasExited()) {
        gateway = await start();
        await setup.expectHealthy();
      }
      known.add(key);
      recent.push(sent);
      if (recent.length > KEPT_REQUESTS) recent.shift();
      const before = await marks();
      const responses = await send();
      const after = await marks();
      const stalls = after.stalls.slice(before.stalls.length);
      expect(leaksOf(key, after.written.slice(before.written.length) + notes.splice(0).join('\n'))).toEqual(
        [],
      );
      expect(after.written, 'output of the gateway').toBe(before.written);
      expect(after.violations, 'requests to the upstream').toEqual(before.violations);
      for (const response of responses) expectNoLeak(response, key, upstream.url);
      if (stalls.length > 0) throw new Stall(`The event loop was blocked for ${stalls.join(', ')} ms.`);
    },
    async expectHealthy() {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': healthyKey },
        body: JSON.stringify({ query: healthyDocument }),
      });
      expect({ status: response.status, ...((await response.json()) as object) }).toEqual({
        status: 200,
        ...healthyResponse,
      });
    },
    close: () => gateway.kill(),
  };
  await setup.expectHealthy();
  return setup;
}
