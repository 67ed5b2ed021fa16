import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createClient } from 'graphql-sse';
import { Agent, fetch, request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { hasHaproxy, isHaproxy3, startHaproxy } from '../support/balancer.ts';
import { freePort } from '../support/ports.ts';
import { startProcess } from '../support/process.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

const INTERVAL_S = 3;
const keys = Array.from({ length: 6 }, (_, n) => `scaled-key-0123456789-${'abcdef'[n]}`);
/** Enough that each gateway has some. */
const manyKeys = Array.from({ length: 90 }, (_, n) => `moved-key-0123456789-${n}`);
const live = `subscription { live(every: ${INTERVAL_S}) { site(id: "SITE-1") { city } } }`;
const seconds = (count: number) => new Promise<void>((resolve) => setTimeout(resolve, count * 1000));
const dispatcher = () => new Agent({ connect: { rejectUnauthorized: false } });

/** Gateways, each with a path of its own at a REST API that takes 200 ms. */
async function startFleet() {
  const served = new Map<string, number>();
  const upstream = await startUpstream((req, res) => {
    const [, gateway = ''] = req.url?.split('/') ?? [];
    const { id } = siteFromPath(req.url ?? '');
    if (id === 'SITE-3') served.set(String(req.headers['x-api-key']), Number(gateway));
    setTimeout(() => sendJson(res, bareSite(id)), 200);
  });
  let count = 0;
  async function start(env: Record<string, string>) {
    const main = await startProcess('main.ts', {
      UPSTREAM_URL: `${upstream.url}/${count++}`,
      LIVE: 'on',
      LIVE_INTERVAL_S: String(INTERVAL_S),
      LOG_LEVEL: 'warn',
      ...env,
    });
    await main.printed(/ready at (\S+)\/graphql\n/);
    return {
      async stop(): Promise<void> {
        main.kill('SIGTERM');
        expect(await main.end()).toEqual({ code: 0, complaints: [] });
      },
    };
  }
  return { start, served };
}

type Fleet = Awaited<ReturnType<typeof startFleet>>;
type Gateway = Awaited<ReturnType<Fleet['start']>>;

/** Sends a query, each over a connection of its own, and expects its response. */
async function send(origin: string, key: string, id: string): Promise<void> {
  const { statusCode, body } = await request(`${origin}/graphql`, {
    dispatcher: shared,
    reset: true,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query: `{ site(id: "${id}") { id } }` }),
  });
  const text = await body.text();
  if (text !== `{"data":{"site":{"id":"${id}"}}}`) throw new Error(`${statusCode} ${text}`);
}
const shared = dispatcher();

/** The gateway of each of many keys. */
async function route({ served }: Fleet, origin: string): Promise<number[]> {
  await Promise.all(manyKeys.map((key) => send(origin, key, 'SITE-3')));
  return manyKeys.map((key) => served.get(key) ?? -1);
}
const movedBetween = (before: readonly number[], after: readonly number[]) =>
  before.flatMap((gateway, n) => (gateway === after[n] ? [] : [{ from: gateway, to: after[n] }]));

/** Ten queries a second of each key, at random, until it is stopped. */
function startQueries(origin: string) {
  const sent: Promise<void>[] = [];
  const lost: string[] = [];
  let isOver = false;
  async function repeat(): Promise<void> {
    while (!isOver) {
      await seconds(-Math.log(1 - Math.random()) / (10 * keys.length));
      const query = send(origin, keys[sent.length % keys.length] ?? '', 'SITE-2');
      sent.push(query.catch((error) => void lost.push(`${error} ${error.cause ?? ''}`)));
    }
  }
  const running = repeat();
  return async function stop() {
    isOver = true;
    await running;
    await Promise.all(sent);
    expect(lost).toEqual([]);
  };
}

/** Streams as frontends have them, which open again when they are cut off. */
function subscribe(origin: string, key: string, count: number) {
  const failed: unknown[] = [];
  const opened = Array<number>(count).fill(0);
  for (const n of opened.keys()) {
    const agent = dispatcher();
    const client = createClient({
      url: `${origin}/graphql`,
      headers: { 'x-api-key': key },
      retryAttempts: 1000,
      retry: () => seconds(0.2 + Math.random() * 0.3),
      fetchFn: (url: string, init: object) => fetch(url, { ...init, dispatcher: agent }),
    });
    const stop = client.subscribe(
      { query: live },
      {
        // The data never change, so each event is the first of a stream.
        next({ errors }) {
          if (errors) failed.push(errors);
          else opened[n] = (opened[n] ?? 0) + 1;
        },
        error: (error) => void failed.push(error),
        complete: () => {},
      },
    );
    onTestFinished(stop);
    onTestFinished(() => agent.destroy());
  }
  /** How often each was opened: one number if all were opened equally often. */
  return { failed, opened: () => [...new Set(opened)] };
}

if (hasHaproxy && !isHaproxy3)
  console.warn('not shown: that replicas agree, which needs HAProxy 3.0 or later');

const title =
  'HAProxy as deploy/kubernetes starts it follows DNS: only the keys of pods that come or go move, no query is ' +
  'lost, other streams go on';
it.skipIf(!hasHaproxy)(title, { timeout: 300_000 }, async () => {
  const fleet = await startFleet();
  const [port, adminPort] = [String(await freePort()), String(await freePort())];
  // Pods end as by preStop: they serve until SIGTERM, and then stop at once.
  const startPod = (n: number) => {
    const HOST = `127.0.0.${n + 2}`;
    const admin = { ADMIN_HOST: HOST, ADMIN_PORT: adminPort };
    return fleet.start({ HOST, PORT: port, ...admin, DRAIN_DELAY_MS: '0' });
  };
  const pods: Gateway[] = [];
  for (let n = 0; n < 6; n += 1) pods.push(await startPod(n));
  const dns = await startDns([]);
  const pick = (...numbers: number[]) => dns.setAddresses(numbers.map((n) => `127.0.0.${n + 2}`));
  pick(0, 1, 2, 3, 4);
  const startBalancer = () =>
    startHaproxy([], {
      env: { GATEWAYS: `portico-gateways.portico.svc.cluster.local:${port}` },
      parts: [
        ['parse-resolv-conf', `nameserver test 127.0.0.1:${dns.port}`],
        [' port 9090 ', ` port ${adminPort} `],
      ],
    });
  const { origin } = await startBalancer();
  const isOver = async (...numbers: number[]) => {
    const ready = () => route(fleet, origin).catch(() => []);
    await expect.poll(async () => [...new Set(await ready())].sort()).toEqual(numbers);
  };
  await isOver(0, 1, 2, 3, 4);
  const stopQueries = startQueries(origin);
  const streamed = manyKeys.slice(0, 30);
  const streams = streamed.map((key) => subscribe(origin, key, 1));
  const opened = () => streams.map((stream) => stream.opened());
  await expect.poll(opened).toEqual(streamed.map(() => [1]));

  const before = await route(fleet, origin);
  pick(0, 1, 2, 3, 4, 5);
  await isOver(0, 1, 2, 3, 4, 5);
  const grown = await route(fleet, origin);
  const toJoined = movedBetween(before, grown);
  expect(new Set(toJoined.map(({ to }) => to))).toEqual(new Set([5]));
  expect(toJoined.length).toBeLessThan(manyKeys.length / 3);

  // A pod ends: DNS no longer has it, its streams go on until SIGTERM.
  pick(0, 2, 3, 4, 5);
  await isOver(0, 2, 3, 4, 5);
  const shrunk = await route(fleet, origin);
  const fromLeft = movedBetween(grown, shrunk);
  expect(fromLeft).toHaveLength(grown.filter((gateway) => gateway === 1).length);
  expect(opened()).toEqual(streamed.map(() => [1]));
  await pods[1]?.stop();
  const cutOff = (n: number) => before[n] === 1;
  await expect.poll(opened).toEqual(streamed.map((_, n) => [cutOff(n) ? 2 : 1]));

  // The answers of DNS are late: it still names a pod that has stopped.
  await pods[2]?.stop();
  await isOver(0, 3, 4, 5);
  pick(0, 3, 4, 5);
  await isOver(0, 3, 4, 5);
  await stopQueries();
  expect(streams.flatMap(({ failed }) => failed)).toEqual([]);

  // A second replica, which has not seen the first pods.
  if (!isHaproxy3) return;
  const replica = await startBalancer();
  const differ = async () =>
    movedBetween(await route(fleet, origin), await route(fleet, replica.origin).catch(() => []));
  await expect.poll(differ).toEqual([]);
});

/** A DNS server that has these IPv4 addresses for every name, in another order each time, and no other records. */
async function startDns(addresses: readonly string[]) {
  let current = addresses;
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
    const records = answers.map((ip) => [
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      30,
      0,
      4,
      ...ip.split('.').map(Number),
    ]);
    socket.send(
      Buffer.concat([head, query.subarray(12, endOfName + 4), Buffer.from(records.flat())]),
      port,
      address,
    );
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
