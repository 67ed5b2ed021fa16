import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { apiKey } from '../../support/gateway.ts';
import { writeManifest } from '../../support/manifest.ts';
import { programPath } from '../../support/process.ts';
import { closed, type Script, sendJson, startUpstream } from '../../support/upstream.ts';
import { argumentsFor } from './agent.ts';

/** `portico mcp` on standard input and output, in front of a gateway with this script. */
async function start(script: Script = (_, res) => sendJson(res, { data: { site: null } })) {
  const gateway = await startUpstream(script);
  const { path: documents } = await writeManifest({
    one: '"A site." query ReadSite { site(id: "a") { id } }',
  });
  const args = [programPath('main.ts'), ...argumentsFor({ gateway: gateway.url, documents })];
  const child = spawn(process.execPath, args, {
    env: { PORTICO_API_KEY: apiKey, MAX_BODY_BYTES: '2048' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const write = (line: string | Buffer) =>
    void child.stdin.write(Buffer.concat([Buffer.from(line), newline]));
  const read = async () => JSON.parse((await lines.next()).value);
  return { gateway, child, write, read };
}

const newline = Buffer.from('\n');
const callOf = (id: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ReadSite', arguments: {} } });
const cancelOf = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

it('responds with an error to each line that is no message, and serves on', async () => {
  const { gateway, write, read } = await start();
  const lines: [line: string | Buffer, code: number, id: unknown][] = [
    ['{"jsonrpc":', -32700, null],
    [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', 'latin1'), -32700, null],
    [`[${callOf(1)},${callOf(2)}]`, -32600, null],
    ['[]', -32600, null],
    [callOf(null), -32600, null],
    [callOf([1]), -32600, null],
    ['{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7],
    ['{"id":"a","method":"ping"}', -32600, 'a'],
    ['"ping"', -32600, null],
    // Over MAX_BODY_BYTES.
    [callOf('x'.repeat(5000)), -32600, null],
  ];
  for (const [line, code, id] of lines) {
    write(line);
    const message = expect.stringMatching(/^(A message|Send each message)/);
    expect(await read(), String(line)).toEqual({ jsonrpc: '2.0', id, error: { code, message } });
  }
  expect(gateway.requests).toEqual([]);
  // Blank lines are no messages either, and common.
  write('');
  write(`${callOf('next')}\r`);
  expect(await read()).toMatchObject({ id: 'next', result: { content: [{ type: 'text' }] } });
});

it('reads messages however they are cut into pieces', async () => {
  const { child, read } = await start();
  const text = [1, 2, 3].map((id) => `${callOf(id)}\n`).join('');
  for (const piece of text.match(/.{1,40}|\n/gs) ?? []) child.stdin.write(piece);
  expect([(await read()).id, (await read()).id, (await read()).id].sort()).toEqual([1, 2, 3]);
});

it('rejects a request with the id of another one in progress, which can still be cancelled', async () => {
  const calls: ServerResponse[] = [];
  const { gateway, write, read } = await start((_, res) => void calls.push(res));
  write(callOf(1));
  await gateway.received(1);
  write(callOf(1));
  expect(await read()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32600, message: 'Another request with this id is in progress.' },
  });
  // Another id.
  write(callOf('1'));
  await gateway.received(2);
  write(cancelOf(1));
  for (const res of calls.slice(0, 1)) await closed(res);
  expect(calls.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  // Neither a call that was cancelled nor one that is over is in progress.
  write(callOf(1));
  await gateway.received(3);
  for (const res of calls.slice(2)) sendJson(res, { data: { site: null } });
  expect(await read()).toMatchObject({ id: 1, result: {} });
  write(callOf(1));
  await gateway.received(4);
});
