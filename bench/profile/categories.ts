import type { Profiler } from 'node:inspector';

type CallFrame = Profiler.ProfileNode['callFrame'];

const nativeFunctions: Record<string, string> = {
  '(garbage collector)': 'garbage collection on the main thread',
  writev: 'writing to sockets',
  writeLatin1String: 'writing to sockets',
  writeUtf8String: 'writing to sockets',
  writeBuffer: 'writing to sockets',
};

/** The category of a function: a package, a part of Node, or a folder of the contender's own code. */
function categoryOf({ functionName, url, scriptId }: CallFrame): string {
  if (url === '') {
    if (nativeFunctions[functionName]) return nativeFunctions[functionName];
    return scriptId === '0' ? 'native code of Node and V8' : 'generated code';
  }
  if (url.startsWith('wasm:')) return 'undici';
  if (url.startsWith('node:')) return nodeModuleOf(url);
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name) return name;
  const [, folder] = /\/dist\/([\w-]+)/.exec(url) ?? [];
  return folder ? `own code: ${folder}` : 'own code';
}

function nodeModuleOf(url: string): string {
  if (/^node:(_http|internal\/http|http)/.test(url)) return 'node:http';
  if (/^node:(net|internal\/(streams|stream_base|net))/.test(url)) return 'node:net and streams';
  return 'events, timers, promises and buffers of Node';
}

/** Microseconds by category, without idle time. */
export function timesByCategory({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Map<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  samples.forEach((id, nth) => {
    const frame = frames.get(id);
    if (!frame || frame.functionName === '(idle)') return;
    const category = categoryOf(frame);
    times.set(category, (times.get(category) ?? 0) + (timeDeltas[nth] ?? 0));
  });
  return times;
}
