import type { Profiler } from 'node:inspector';

type Place = Profiler.ProfileNode['callFrame'];

const native: Record<string, string> = {
  '(garbage collector)': 'garbage collection on the main thread',
  writev: 'writing to sockets',
  writeLatin1String: 'writing to sockets',
  writeUtf8String: 'writing to sockets',
  writeBuffer: 'writing to sockets',
};

/** Where a function belongs: a package, a part of Node, a folder of the contender's own code. */
export function placeOf({ functionName, url, scriptId }: Place): string {
  if (url === '') {
    if (native[functionName]) return native[functionName];
    return scriptId === '0' ? 'native code of Node and V8' : 'compiled operations';
  }
  if (url.startsWith('wasm:')) return 'undici';
  if (url.startsWith('node:')) return partOfNode(url);
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name) return name;
  const [, folder] = /\/dist\/([\w-]+)/.exec(url) ?? [];
  return folder ? `own code: ${folder}` : 'own code';
}

function partOfNode(url: string): string {
  if (/^node:(_http|internal\/http|http)/.test(url)) return 'node:http';
  if (/^node:(net|internal\/(streams|stream_base|net))/.test(url)) return 'node:net and streams';
  return 'events, timers, promises and buffers of Node';
}

/** How long was spent where, in microseconds; not to have anything to do counts nowhere. */
export function timesFrom({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  samples.forEach((id, n) => {
    const frame = frames.get(id);
    if (!frame || frame.functionName === '(idle)') return;
    const place = placeOf(frame);
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[n] ?? 0));
  });
  return times;
}
