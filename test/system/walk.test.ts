import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';

/** Measured when the layers and phases became lists. May fall, and not grow. */
const maxFiles = 53;
/** Of these, on the way from a resolver to the wire: the resolver, the loaders, the client, its layers and the transport. */
const maxFilesToWire = 12;

const src = resolve(import.meta.dirname, '../../src');

/** The functions of `src` that ran since the last reading, by file. */
async function readCalls(session: Session): Promise<Map<string, string[]>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls = new Map<string, string[]>();
  for (const { url, functions } of result) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : url;
    const file = relative(src, path);
    if (file.startsWith('..') || !file.endsWith('.ts')) continue;
    const called = functions.filter(
      ({ ranges, functionName }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    );
    if (called.length > 0)
      calls.set(
        file,
        called.map(({ functionName }) => functionName),
      );
  }
  return calls;
}

/** The call stack of each request that undici sends from now on. */
function recordStacks(): string[] {
  const stacks: string[] = [];
  const record = () => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 100;
    stacks.push(new Error('a request is sent').stack ?? '');
    Error.stackTraceLimit = limit;
  };
  subscribe('undici:request:create', record);
  onTestFinished(() => void unsubscribe('undici:request:create', record));
  return stacks;
}

/** The functions of `src` on a stack, from the resolver to the last one: on the fast path they call each other. */
function framesToResolver(stack: string): { file: string; name: string }[] {
  const frames = [...stack.matchAll(/at (?:new )?(\S+)?.*?\/src\/([\w/-]+\.ts):/g)].map(
    ([, name = '', file = '']) => ({ file, name }),
  );
  const resolver = frames.findIndex(({ file }) => file.startsWith('schema/types/'));
  return frames.slice(0, resolver + 1).reverse();
}

it('takes a warm request through few files', async () => {
  const { upstream, gateway } = await startBoth({ LOG_LEVEL: 'silent' }, (req, res) =>
    sendJson(res, { ...bareSite(siteFromPath(req.url ?? '').id), clients: [{ id: 'c', name: 'Jane Doe' }] }),
  );
  const query = '{ site(id: "SITE-1") { id clients { name } } }';
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (let n = 0; n < 5; n += 1) await postQuery(gateway.url, query);
  await readCalls(session);
  const stacks = recordStacks();
  // Of several requests the one with the fewest files: beside the others a timer ran.
  const runs: Map<string, string[]>[] = [];
  for (let n = 0; n < 5; n += 1) {
    await postQuery(gateway.url, query);
    runs.push(await readCalls(session));
  }
  const calls = runs.reduce((least, run) => (run.size < least.size ? run : least));
  session.disconnect();
  const frames = framesToResolver(stacks.at(-1) ?? '');
  const filesToWire = new Set(frames.map(({ file }) => file));

  const functions = [...calls.values()].reduce((sum, names) => sum + names.length, 0);
  console.log(`one warm request: ${calls.size} files, ${functions} functions`);
  for (const [file, names] of calls) console.log(`  ${file}: ${names.join(', ')}`);
  console.log(`from the resolver to the wire: ${filesToWire.size} files, ${frames.length - 1} hops`);
  for (const { file, name } of frames) console.log(`  ${file}: ${name}`);
  expect(upstream.requests).toHaveLength(10);
  expect(filesToWire.size).toBeGreaterThan(3);
  expect(filesToWire.size).toBeLessThanOrEqual(maxFilesToWire);
  expect(calls.size).toBeGreaterThan(5);
  expect(calls.size).toBeLessThanOrEqual(maxFiles);
});
