import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { apiKey } from '../../support/gateway.ts';
import { writeManifest } from '../../support/manifest.ts';
import { closed, type Script, sendJson, startUpstream } from '../../support/upstream.ts';
import { jsonHeaders, openWire, send, wireOf } from '../../support/wire.ts';
import { startMcp } from './agent.ts';

const headers = { ...jsonHeaders, accept: 'application/json, text/event-stream', 'x-api-key': apiKey };
const host = '127.0.0.1';
const callTool = (id: unknown, given: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'ReadSite', arguments: given },
});
const postOf = (message: object) => {
  const body = JSON.stringify(message);
  return wireOf('POST /mcp', { ...headers, host, 'content-length': String(Buffer.byteLength(body)) }, body);
};
const openHead = `${wireOf('POST /mcp', { ...headers, host }).slice(0, -2)}x: `;

/** `portico mcp` with a port, in front of a gateway with this script. */
async function start(env: Record<string, string> = {}, script: Script = sendNull) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const gateway = await startUpstream(script);
  const { path: documents } = await writeManifest({
    one: '"A site." query ReadSite($id: ID = "a") { site(id: $id) { id } }',
  });
  const { origin } = new URL(await startMcp({ gateway: gateway.url, documents }));
  const post = (body: string | Buffer) => send(origin, { path: '/mcp', headers: { ...headers, host }, body });
  return { gateway, origin, post };
}

const sendNull: Script = (_, res) => sendJson(res, { data: { site: null } });

it('rejects a batch with 400, and makes no call', async () => {
  const { gateway, post } = await start();
  const batch = Array.from({ length: 100 }, (_, id) => callTool(id));
  for (const body of [batch, [callTool(1)], [], [[]]]) {
    const response = await post(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: expect.stringContaining('not in a batch') },
    });
  }
  expect(gateway.requests).toEqual([]);
});

it.each<[string, string | Buffer, number, unknown]>([
  ['no JSON', '{"jsonrpc":', -32700, null],
  ['nothing', '', -32700, null],
  [
    'bytes that are no UTF-8',
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', 'latin1'),
    -32700,
    null,
  ],
  ['a null id', JSON.stringify(callTool(null)), -32600, null],
  ['a method that is no text', '{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7],
  ['no version of JSON-RPC', '{"id":"a","method":"ping"}', -32600, 'a'],
  ['a number', '1', -32600, null],
])('rejects %s with 400', async (_, body, code, id) => {
  const { gateway, post } = await start();
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(JSON.parse(response.body)).toMatchObject({ id, error: { code } });
  expect(gateway.requests).toEqual([]);
});

it('rejects a body over MAX_BODY_BYTES with 413, other methods with 405, and other paths with 404', async () => {
  const { gateway, origin, post } = await start({ MAX_BODY_BYTES: '1024' });
  const statuses = [
    (await post(JSON.stringify(callTool(1, { id: 'x'.repeat(1024) })))).status,
    (await send(origin, { method: 'GET', path: '/mcp', headers: { ...headers, host } })).status,
    (await send(origin, { path: '/other', headers: { ...headers, host }, body: '{}' })).status,
    (await post(JSON.stringify(callTool(1)))).status,
  ];
  expect(statuses).toEqual([413, 405, 404, 200]);
  expect(gateway.requests).toHaveLength(1);
});

it('serves others while 300 requests do not complete their heads', async () => {
  const { gateway, origin, post } = await start();
  await Promise.all(
    Array.from({ length: 300 }, async () => {
      const wire = await openWire(origin);
      wire.write(openHead);
    }),
  );
  expect((await post(JSON.stringify(callTool(1)))).status).toBe(200);
  expect(gateway.requests).toHaveLength(1);
});

it.each([
  ['a head', openHead],
  ['a body', wireOf('POST /mcp', { ...headers, host, 'content-length': '9' }, '{')],
])('responds with 408 to %s that is not complete within REQUEST_TIMEOUT_MS', async (_, bytes) => {
  const logged = vi.spyOn(console, 'error');
  onTestFinished(() => logged.mockRestore());
  const { gateway, origin } = await start({ REQUEST_TIMEOUT_MS: '200' });
  const wire = await openWire(origin);
  wire.write(bytes);
  expect(await wire.closed).toMatch(/^HTTP\/1\.1 408 /);
  expect(gateway.requests).toEqual([]);
  expect(logged).not.toHaveBeenCalled();
});

it('closes the connections beyond MAX_CONNECTIONS', async () => {
  const { origin } = await start({ MAX_CONNECTIONS: '1' });
  const first = await openWire(origin);
  first.write(postOf(callTool(1)));
  await first.read(/"id":1/);
  const second = await openWire(origin);
  expect(await second.closed).toBe('');
});

it('cancels each of several calls with one id when its client disconnects', async () => {
  const calls: ServerResponse[] = [];
  const { gateway, origin } = await start({}, (_, res) => void calls.push(res));
  const wires = [await openWire(origin), await openWire(origin), await openWire(origin)];
  for (const [n, wire] of wires.entries()) {
    wire.write(postOf(callTool(1)));
    await gateway.received(n + 1);
  }
  for (const [n, res] of calls.entries()) {
    wires[n]?.end();
    await closed(res);
    expect(calls.slice(n + 1).filter(({ destroyed }) => destroyed)).toEqual([]);
  }
  expect(calls).toHaveLength(3);
});

it('returns a fault of the arguments for one that is nested too deep, whatever its depth', async () => {
  const { gateway, post } = await start();
  const call = JSON.stringify(callTool(1, { id: 0 }));
  const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
  const response = await post(call.replace('"id":0', `"id":${deep}`));
  expect(response.status).toBe(200);
  expect(response.body).toContain('id has more than 32 levels of lists and objects.');
  expect(response.body).toContain('"isError":true');
  expect(gateway.requests).toEqual([]);
  // What the protocol itself ignores may be as deep.
  expect((await post(call.replace('"arguments":{"id":0}', `"_meta":{"x":${deep}}`))).status).toBe(200);
  expect(gateway.requests).toHaveLength(1);
});
