import { expect, it } from 'vitest';
import { startBoth } from '../../support/gateway.ts';
import { incrementalFormats, postForParts } from '../../support/incremental.ts';
import { mergeParts } from '../../support/merge-parts.ts';
import { isWithinCpuTime, startCpuTime } from '../../support/slowness.ts';
import { type Script, sendSite } from '../../support/upstream.ts';
import { sendRaw } from '../../support/wire.ts';

const sendClients: Script = (req, res) => sendSite(req, res, { clients: [{ id: 'CLIENT-1' }] });
const deferring = '{ site(id: "SITE-1") { id ... @defer(label: "rest") { clients { id } } } }';
const rest = { clients: [{ id: 'CLIENT-1' }] };

it.each(['multipart/mixed', 'multipart/mixed;deferSpec=20220824', 'text/event-stream'])(
  'sends the format of 2022 for Accept %j',
  async (accept) => {
    const { gateway } = await startBoth({}, sendClients);
    const { headers, parts } = await postForParts(gateway.url, deferring, { accept });
    expect(headers.get('content-type')).not.toContain('Spec');
    expect(parts).toEqual([
      { data: { site: { id: 'SITE-1' } }, hasNext: true },
      { incremental: [{ data: rest, path: ['site'], label: 'rest' }], hasNext: false },
    ]);
  },
);

it.each([
  ['multipart/mixed;incrementalSpec=v0.2', 'multipart/mixed; boundary="-"; incrementalSpec=v0.2'],
  ['text/event-stream;incrementalSpec=v0.2', 'text/event-stream; incrementalSpec=v0.2'],
])('sends v0.2 for Accept %j', async (accept, type) => {
  const { gateway } = await startBoth({}, sendClients);
  const { headers, parts } = await postForParts(gateway.url, deferring, { accept });
  expect(headers.get('content-type')).toBe(type);
  expect(parts).toEqual([
    {
      data: { site: { id: 'SITE-1' } },
      pending: [{ id: '0', path: ['site'], label: 'rest' }],
      hasNext: true,
    },
    { incremental: [{ id: '0', data: rest }], completed: [{ id: '0' }], hasNext: false },
  ]);
});

const accept = 'multipart/mixed;incrementalSpec=v0.2';

it('spends no time on the other operations of a document in v0.2', async () => {
  const { gateway } = await startBoth({}, sendClients);
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const fragments = numbers(10).map((n) => `fragment F${n} on Health { ...F${n + 1} ...F${n + 1} }`);
  const others = numbers(80).map((n) => `query Q${n} { health { ...F0 } }`);
  const last = 'fragment F10 on Health { body statusCode }';
  const query = `query A ${deferring} ${[...fragments, last, ...others].join(' ')}`;
  const cpuMs = startCpuTime();
  const { parts } = await postForParts(gateway.url, { query, operationName: 'A' }, { accept });
  const spentMs = cpuMs();
  expect(mergeParts(parts).data).toEqual({ site: { id: 'SITE-1', ...rest } });
  expect(isWithinCpuTime(spentMs, 200)).toBe(true);
});

const inTwoFragments =
  '{ site(id: "SITE-1") { ... @defer { clients { id } } ... @defer { city clients { name } } } }';
const inAndOutside =
  'query ($a: Boolean = true) { site(id: "SITE-1") { clients { id } ...F @defer(if: $a) } } fragment F on Site { city clients { name } }';
const streamed = '{ sites(ids: ["SITE-1"]) @stream { clients { id } ... @defer { clients { name } } } }';
const [v01 = '', v02 = ''] = incrementalFormats;

it.each([
  [inTwoFragments, v02, true],
  [inAndOutside, v02, true],
  [streamed, v02, true],
  [streamed, v01, true],
  [inTwoFragments, v01, false],
  [deferring, v02, false],
])('sends %s to %s as one complete response: %s', async (query, accept, isComplete) => {
  const { gateway } = await startBoth({}, sendClients);
  const { parts } = await postForParts(gateway.url, query, { accept });
  expect(parts.length === 1).toBe(isComplete);
  expect(JSON.stringify(mergeParts(parts).data)).toContain('CLIENT-1');
});

it('sends a list item by item in v0.2, and says when it is complete', async () => {
  const { gateway } = await startBoth({}, sendClients);
  const query = '{ sites(ids: ["SITE-1", "SITE-2"]) @stream(initialCount: 1, label: "more") { id } }';
  const { parts } = await postForParts(gateway.url, query, { accept });
  expect(parts[0]).toEqual({
    data: { sites: [{ id: 'SITE-1' }] },
    pending: [{ id: '0', path: ['sites'], label: 'more' }],
    hasNext: true,
  });
  expect(mergeParts(parts).data).toEqual({ sites: [{ id: 'SITE-1' }, { id: 'SITE-2' }] });
});

it('sends parts to a client of HTTP/1.0 without the chunks of HTTP/1.1', async () => {
  const { gateway } = await startBoth({}, sendClients);
  const body = JSON.stringify({ query: deferring });
  const head = `POST /graphql HTTP/1.0\r\nhost: a\r\ncontent-type: application/json\r\naccept: ${v01}\r\nx-api-key: key-1\r\n`;
  const response = await sendRaw(gateway.origin, `${head}content-length: ${body.length}\r\n\r\n${body}`);
  expect(response).toMatch(/^HTTP\/1.1 200 /);
  expect(response).not.toMatch(/^transfer-encoding/im);
  expect(response).toContain('CLIENT-1');
});
