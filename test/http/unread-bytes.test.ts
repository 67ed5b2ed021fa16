import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { sendSite } from '../support/upstream.ts';
import { postOf } from '../support/wire.ts';

// The responses are large, which takes time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const MB = 1_048_576;
/** More than the operating system buffers for a client that does not read. */
const answerBytes = 12 * MB;
const limitBytes = 32 * MB;
/** The largest number of such responses in memory: those below the limit, and one more. */
const held = Math.floor((limitBytes + answerBytes) / answerBytes);

/** A quarter of a response each: ASCII, or as many bytes in characters of three. */
const texts = { ascii: 'x'.repeat(answerBytes / 4), wide: '€'.repeat(answerBytes / 12) };

/** The upstream has large sites (`SITE-ascii…`, `SITE-wide…`) and small ones. */
async function start(maxUnreadBytes = limitBytes) {
  // An operation at its deadline, and a client that takes nothing for the time of a request, lose their connection.
  const settings = { maxUnreadBytes, operationTimeoutMs: 120_000, requestTimeoutMs: 120_000 };
  const { upstream, gateway } = await startBoth(settings, (req, res) => {
    const [, kind] = /SITE-(ascii|wide)/.exec(req.url ?? '') ?? [];
    const address1 = kind === 'ascii' || kind === 'wide' ? texts[kind] : null;
    sendSite(req, res, { address1 });
  });
  return {
    ...gateway,
    upstream,
    unreadBytes: () => gateway.gauge('portico_unread_response_bytes'),
    closed: () => gateway.written.filter((line) => line.includes('did not read its responses')).length,
  };
}

const fourTimes = 'a: address1 b: address1 c: address1 d: address1';
const large = (id: string) => `{ site(id: "SITE-${id}") { ${fourTimes} } }`;
const deferred = (id: string) =>
  `{ site(id: "SITE-${id}") { id ... @defer { ${fourTimes} clients { name } } } }`;

const inParts = (query: string) =>
  postOf(query).replace('accept: application/json', 'accept: multipart/mixed');

/** A connection that sends these bytes and reads nothing before `read`. */
async function openUnread(origin: string, bytes: string) {
  const { port, hostname } = new URL(origin);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(bytes);
  /** The bytes received until the connection ends or a response is complete. */
  return async () => {
    let taken = 0;
    try {
      for await (const chunk of socket) {
        taken += chunk.length;
        if (taken >= answerBytes) break;
      }
    } catch {
      // It was reset.
    }
    return taken;
  };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate();
}

it.each<[string, (n: number) => string]>([
  ['in one piece, beyond ASCII', (n) => postOf(large(`wide-${n}`))],
  ['in parts', (n) => inParts(deferred(`ascii-${n}`))],
])('bounds the bytes of unread responses, and serves other clients: %s', async (_, requestOf) => {
  const { url, origin, upstream, unreadBytes, closed } = await start();
  const clients = [];
  let most = 0;
  for (let n = 0; n < 5; n += 1) {
    // With a key of its own: the large bodies of one key wait for each other.
    clients.push(await openUnread(origin, requestOf(n).replace(/x-api-key: \S+/i, `$&-${n}`)));
    // A client that reads gets a response all the while.
    const { data } = await postQuery(url, `{ site(id: "SITE-${n}") { id } }`);
    expect(data).toEqual({ site: { id: `SITE-${n}` } });
    most = Math.max(most, unreadBytes());
  }
  await until(() => {
    most = Math.max(most, unreadBytes());
    return closed() >= clients.length - held;
  });
  expect(most).toBeLessThan(limitBytes + 1.1 * answerBytes);
  expect(await postQuery(url, '{ site(id: "SITE-last") { id } }')).toMatchObject({ status: 200 });
  expect(upstream.requests.length).toBeGreaterThan(clients.length);
  const taken = await Promise.all(clients.map((read) => read()));
  expect(taken.filter((bytes) => bytes >= answerBytes).length).toBeLessThanOrEqual(held);
});

it('sends a response over the limit to a client that reads it', async () => {
  const { url, closed } = await start(MB);
  const { data } = await postQuery<{ site: Record<string, string> }>(url, large('wide'));
  expect(Object.values(data?.site ?? {})).toEqual(Array(4).fill(texts.wide));
  expect(closed()).toBe(0);
});
