import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';

/** Measured when the layers and phases became lists. May fall, and not grow. */
const maxFiles = 53;
/** Of these, on the way from the loaders, which send a batch, to the wire: the client, its layers and the transport. */
const maxFilesToWire = 12;

const src = resolve(import.meta.dirname, '../../src');

/** The files of `src` of which a function with a name ran since the last reading. */
async function readFiles(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges, functionName }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  );
  return ran
    .map(({ url }) => relative(src, url.startsWith('file:') ? fileURLToPath(url) : url))
    .filter((file) => !file.startsWith('..') && file.endsWith('.ts'));
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

/** The files of `src` on a stack, from the last function to the loaders: they call each other. */
function filesToLoaders(stack: string): Set<string> {
  const files = [...stack.matchAll(/at .*\/src\/([\w/-]+\.ts):/g)].map(([, file = '']) => file);
  return new Set(files.slice(0, files.lastIndexOf('loaders.ts') + 1));
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
  await readFiles(session);
  const stacks = recordStacks();
  // Of several requests the one with the fewest files: beside the others a timer ran.
  const runs: string[][] = [];
  for (let n = 0; n < 5; n += 1) {
    await postQuery(gateway.url, query);
    runs.push(await readFiles(session));
  }
  const [least = []] = runs.sort((one, two) => one.length - two.length);
  session.disconnect();
  const filesToWire = filesToLoaders(stacks.at(-1) ?? '');
  expect(upstream.requests).toHaveLength(10);
  expect(filesToWire.size).toBeGreaterThan(3);
  expect(filesToWire.size).toBeLessThanOrEqual(maxFilesToWire);
  expect(least.length).toBeGreaterThan(5);
  expect(least.length, least.join('\n')).toBeLessThanOrEqual(maxFiles);
});
