import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Balancer,
  hasHaproxy,
  hasNginx,
  startHaproxy,
  startNginx,
  startPlainNginx,
} from '../support/balancer.ts';
import { makeCertificate } from '../support/certificate.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, startBoth } from '../support/gateway.ts';
import { eventStream, multipart, streamParts } from '../support/incremental.ts';
import { freePort } from '../support/ports.ts';
import { sendJson, sendSite, sendSiteOrStatus, siteFromPath, startUpstream } from '../support/upstream.ts';

/** More than the gateways, so that some gateway has several and each probably one. */
const keys = Array.from({ length: 48 }, (_, n) => `balanced-key-0123456789-${n}`);

/** A double of a gateway: it responds with its number. */
async function startDouble(number: number, address: { host?: string; port?: number } = {}) {
  let isReady = true;
  let isBroken = false;
  const streams: { write(text: string): void; closed: Promise<unknown> }[] = [];
  const upstream = await startUpstream((req, res) => {
    if (req.url === '/readyz') return void res.writeHead(isReady ? 200 : 503).end();
    if (isBroken) return void req.socket.destroy();
    if (req.headers.accept !== 'text/event-stream') return sendJson(res, { gateway: number });
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    streams.push({ write: (text) => void res.write(text), closed: once(res, 'close') });
    upstream.server.emit('stream');
  }, address);
  const { port } = upstream.server.address() as AddressInfo;
  return {
    ...upstream,
    streams,
    operations: () => upstream.requests.filter(({ path }) => path !== '/readyz'),
    setReady(is: boolean) {
      isReady = is;
    },
    /** Responds to no operation from now on. */
    break() {
      isBroken = true;
    },
    /** Refuses connections from now on, and cuts off the open ones. */
    async stop() {
      upstream.server.close();
      upstream.server.closeAllConnections();
    },
    async restart() {
      upstream.server.listen(port, '127.0.0.1');
      await once(upstream.server, 'listening');
    },
  };
}

type Double = Awaited<ReturnType<typeof startDouble>>;

const startDoubles = () => Promise.all([1, 2, 3, 4].map((number) => startDouble(number)));
const originsOf = (doubles: readonly Double[]) => doubles.map(({ url }) => url);

function createAgent(): Agent {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  onTestFinished(() => agent.destroy());
  return agent;
}

interface LargeParts {
  field?: string;
  body?: string;
}

/** Sends one operation of each key, and resolves with the number of the gateway that responded to it. */
async function route(
  { origin }: Balancer,
  sent = keys,
  large: LargeParts = {},
): Promise<Map<string, number>> {
  const dispatcher = createAgent();
  const entries = await Promise.all(
    sent.map(async (key) => {
      const { field = '', body = '{"query":"{ health { reachable } }"}' } = large;
      const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-field': field };
      const response = await request(`${origin}/graphql`, { method: 'POST', headers, body, dispatcher });
      expect(response.statusCode).toBe(200);
      return [key, ((await response.body.json()) as { gateway: number }).gateway] as const;
    }),
  );
  return new Map(entries);
}

/** The keys whose gateway differs. */
const moved = (before: Map<string, number>, after: Map<string, number>) =>
  keys.filter((key) => before.get(key) !== after.get(key));
const keysOf = (routes: Map<string, number>, gateway: number) =>
  keys.filter((key) => routes.get(key) === gateway);

/** Opens a stream of each key. Returns the keys of those that end. */
async function openStreams({ origin }: Balancer, of = keys): Promise<string[]> {
  const ended: string[] = [];
  const dispatcher = createAgent();
  for (const key of of) {
    const headers = { accept: 'text/event-stream', 'x-api-key': key };
    const { body } = await request(`${origin}/graphql`, { method: 'POST', headers, dispatcher });
    body.on('error', () => {}).on('close', () => ended.push(key));
  }
  return ended;
}

/** Over how many gateways 24 streams of one key are spread. */
async function spreadOf(start: typeof startHaproxy, env: Record<string, string> = {}): Promise<number> {
  const doubles = await startDoubles();
  await openStreams(await start(originsOf(doubles), { env }), Array(24).fill('key-of-many-streams'));
  return doubles.filter(({ streams }) => streams.length > 0).length;
}

const balancers = [
  { name: 'HAProxy', isInstalled: hasHaproxy, start: startHaproxy },
  { name: 'nginx', isInstalled: hasNginx, start: startNginx },
];

describe.each(balancers)('$name with the shipped file', ({ isInstalled, start }) => {
  it.skipIf(!isInstalled)(
    'keeps each key at its gateway; moves the keys of a dead one, and no other; loses no request; moves them back',
    async () => {
      const doubles = await startDoubles();
      const balancer = await start(originsOf(doubles));
      const before = await route(balancer);
      expect(new Set(before.values())).toEqual(new Set([1, 2, 3, 4]));
      for (let turn = 0; turn < 2; turn += 1) expect(moved(before, await route(balancer))).toEqual([]);
      await doubles[1]?.stop();
      // Among them requests over connections that the balancer kept open.
      expect(moved(before, await route(balancer))).toEqual(keysOf(before, 2));
      expect(moved(before, await route(balancer))).toEqual(keysOf(before, 2));
      await doubles[1]?.restart();
      await expect.poll(async () => moved(before, await route(balancer))).toEqual([]);
    },
  );

  it.skipIf(!isInstalled)('repeats what a gateway leaves without a response, up to 28 KiB', async () => {
    const doubles = await startDoubles();
    const balancer = await start(originsOf(doubles));
    const before = await route(balancer);
    doubles[1]?.break();
    const large = { field: 'f'.repeat(12 * 1024), body: 'b'.repeat(16 * 1024) };
    expect(moved(before, await route(balancer, keys, large))).toEqual(keysOf(before, 2));
  });

  it.skipIf(!isInstalled)('logs each request without its key and its query', async () => {
    const doubles = await startDoubles();
    const balancer = await start(originsOf(doubles));
    await route(balancer);
    const [key = ''] = keys;
    const headers = { 'x-api-key': key };
    const dispatcher = createAgent();
    const path = '/graphql?query=%7Bsecret%7D';
    await (await request(balancer.origin + path, { headers, dispatcher })).body.dump();
    await doubles[0]?.stop();
    await route(balancer);
    await expect.poll(() => balancer.log().match(/ \/graphql$/gm)?.length).toBe(2 * keys.length + 1);
    expect(balancer.log()).not.toContain('balanced-key');
    expect(balancer.log()).not.toContain('secret');
  });

  it.skipIf(!isInstalled)(
    'passes each event of a stream at once, and ends it at a heartbeat after its client left',
    async () => {
      const doubles = await startDoubles();
      const balancer = await start(originsOf(doubles));
      const opened = Promise.race(
        doubles.map((double) => once(double.server, 'stream').then(() => double.streams[0])),
      );
      const headers = { accept: 'text/event-stream', 'x-api-key': 'key-of-a-stream' };
      const { body } = await request(`${balancer.origin}/graphql`, {
        method: 'POST',
        headers,
        dispatcher: createAgent(),
      });
      const stream = await opened;
      // Each is written after the one before has arrived.
      for (const event of ['event: next\ndata: {"n":1}\n\n', ':\n\n', 'event: next\ndata: {"n":2}\n\n']) {
        const arrived = once(body, 'data');
        stream?.write(event);
        expect(String(await arrived)).toBe(event);
      }
      body.on('error', () => {}).destroy();
      // HAProxy notices it only when it writes; nginx at once.
      const heartbeats = setInterval(() => stream?.write(':\n\n'), 100);
      await stream?.closed;
      clearInterval(heartbeats);
    },
  );

  it.skipIf(!isInstalled || !hasNginx)('terminates TLS, and adds Strict-Transport-Security', async () => {
    const env = { CERTIFICATE: await makeCertificate() };
    const { origin } = await start(originsOf(await startDoubles()), { env });
    const { headers, body } = await request(origin.replace(/^http:/, 'https:'), {
      dispatcher: createAgent(),
    });
    await body.dump();
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it.skipIf(!isInstalled)('keeps a hot key at its gateway', async () => {
    expect(await spreadOf(start)).toBe(1);
  });

  it.skipIf(!isInstalled)('passes on the status codes that GraphQL over HTTP has of its own', async () => {
    const { gateway } = await startBoth({}, sendSiteOrStatus);
    const { origin } = await start([gateway.origin]);
    const dispatcher = createAgent();
    const accept = 'application/graphql-response+json';
    const headers = { accept, 'content-type': 'application/json', 'x-api-key': apiKey };
    const statuses: number[] = [];
    for (const query of ['{ sites(ids: ["SITE-1", "SITE-500"]) { id } }', '{ nothing }']) {
      const body = JSON.stringify({ query });
      const response = await request(`${origin}/graphql`, { method: 'POST', headers, body, dispatcher });
      statuses.push(response.statusCode);
      expect(response.headers['content-type']).toBe(`${accept}; charset=utf-8`);
      expect(await response.body.json()).toHaveProperty('errors');
    }
    expect(statuses).toEqual([294, 422]);
  });
});

describe('HAProxy with the shipped file', () => {
  it.skipIf(!hasHaproxy)('sends no request to a gateway that is not ready', async () => {
    const doubles = await startDoubles();
    const balancer = await startHaproxy(originsOf(doubles));
    const before = await route(balancer);
    doubles[2]?.setReady(false);
    await expect.poll(async () => moved(before, await route(balancer))).toEqual(keysOf(before, 3));
    const operations = doubles[2]?.operations().length;
    for (let turn = 0; turn < 2; turn += 1) await route(balancer);
    expect(doubles[2]?.operations()).toHaveLength(operations ?? 0);
    doubles[2]?.setReady(true);
    await expect.poll(async () => moved(before, await route(balancer))).toEqual([]);
  });

  it.skipIf(!hasHaproxy)('spreads a hot key over more gateways with HASH_BALANCE_FACTOR', async () => {
    expect(await spreadOf(startHaproxy, { HASH_BALANCE_FACTOR: '150' })).toBeGreaterThanOrEqual(3);
  });
});

const title =
  'HAProxy as deploy/kubernetes starts it follows DNS: only the keys of pods that come or go move, no request is ' +
  'lost, other streams go on';
it.skipIf(!hasHaproxy)(title, async () => {
  const port = await freePort();
  const hostOf = (number: number) => `127.0.0.${number + 1}`;
  const pods = await Promise.all(
    [1, 2, 3, 4].map((number) => startDouble(number, { host: hostOf(number), port })),
  );
  const dns = await startDns();
  const pick = (...numbers: number[]) => dns.setAddresses(numbers.map(hostOf));
  pick(1, 2, 3);
  const balancer = await startHaproxy([], {
    env: { GATEWAYS: `portico-gateways.portico.svc.cluster.local:${port}` },
    parts: [
      ['parse-resolv-conf', `nameserver test 127.0.0.1:${dns.port}`],
      [' port 9090 ', ` port ${port} `],
    ],
  });
  const lost: unknown[] = [];
  const used = async () => {
    const routes = await route(balancer).catch((error) => void lost.push(error));
    return [...new Set(routes?.values())].sort();
  };
  await expect.poll(used).toEqual([1, 2, 3]);
  lost.length = 0;
  const before = await route(balancer);
  pick(1, 2, 3, 4);
  await expect.poll(used).toEqual([1, 2, 3, 4]);
  const grown = await route(balancer);
  expect(moved(before, grown)).toEqual(keysOf(grown, 4));
  const cutOff = await openStreams(balancer);

  // A pod ends: DNS no longer has it, its streams go on until SIGTERM.
  pick(1, 3, 4);
  await expect.poll(used).toEqual([1, 3, 4]);
  expect(moved(grown, await route(balancer))).toEqual(keysOf(grown, 2));
  expect(cutOff).toEqual([]);
  // The answers of DNS are late: it still names a pod that has stopped.
  await pods[2]?.stop();
  await expect.poll(used).toEqual([1, 4]);
  await expect.poll(() => cutOff.sort()).toEqual(keysOf(grown, 3).sort());
  expect(lost).toEqual([]);
});

describe('nginx with its defaults, which buffers and sends HTTP/1.0', () => {
  const deferring = '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }';

  it.skipIf(!hasNginx).each([multipart, eventStream])(
    'passes each part of an incremental response on at once: %s',
    async (accept) => {
      const { promise, open } = createGate();
      const { gateway } = await startBoth({}, async (req, res) => {
        if (siteFromPath(req.url ?? '').include.length > 0) await promise;
        sendSite(req, res);
      });
      const { origin } = await startPlainNginx(gateway.origin);
      const { parts } = await streamParts(`${origin}/graphql`, deferring, { accept });
      const first = await parts.next();
      expect(first.value).toMatchObject({ data: { site: { id: 'SITE-1' } }, hasNext: true });
      open();
      const rest: unknown[] = [];
      for await (const part of parts) rest.push(part);
      expect(JSON.stringify(rest)).toContain('"clients":[]');
    },
  );
});

/** A DNS server that has these IPv4 addresses for every name, in another order each time, and no other records. */
async function startDns() {
  let current: readonly string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const endOfName = query.indexOf(0, 12) + 1;
    const isOfAddresses = query.readUInt16BE(endOfName) === 1;
    const answers = isOfAddresses ? [...current].sort(() => Math.random() - 0.5) : [];
    const head = Buffer.from(query.subarray(0, 12));
    // A response, authoritative; one question, no further records.
    head.writeUInt16BE(0x8400, 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt32BE(0, 8);
    // The name of the question, type A, class IN, 30 s, four bytes.
    const record = Buffer.from('c00c000100010000001e0004', 'hex');
    const records = answers.flatMap((ip) => [...record, ...ip.split('.').map(Number)]);
    const reply = [head, query.subarray(12, endOfName + 4), Buffer.from(records)];
    socket.send(Buffer.concat(reply), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return {
    port: socket.address().port,
    setAddresses(next: readonly string[]) {
      current = next;
    },
  };
}
