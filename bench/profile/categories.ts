import { existsSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

type CallFrame = Profiler.ProfileNode['callFrame'];

const nativeFunctions: Record<string, string> = {
  '(garbage collector)': 'garbage collection on the main thread',
  writev: 'writing to sockets',
  writeLatin1String: 'writing to sockets',
  writeUtf8String: 'writing to sockets',
  writeBuffer: 'writing to sockets',
};

/** The category of a function: a package, a part of Node, or a folder of the contender's own code. */
function categoryOf(frame: CallFrame): string {
  const { functionName, url, scriptId } = frame;
  if (url === '') {
    if (nativeFunctions[functionName]) return nativeFunctions[functionName];
    return scriptId === '0' ? 'native code of Node and V8' : 'generated code';
  }
  if (url.startsWith('wasm:')) return 'undici';
  if (url.startsWith('node:')) return nodeModuleOf(url);
  const file = sourceFileOf(frame);
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (name) return name;
  const [, folder] = /\/(?:dist|src)\/([\w-]+)/.exec(file) ?? [];
  return folder ? `own code: ${folder}` : 'own code';
}

/** The source maps of bundles, by the URL of the bundle. */
const maps = new Map<string, SourceMap | undefined>();

/** The file that a function was written in; a bundle holds the functions of many. */
function sourceFileOf({ url, lineNumber, columnNumber }: CallFrame): string {
  if (!maps.has(url)) maps.set(url, readSourceMap(url));
  const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
  return entry && 'originalSource' in entry ? entry.originalSource : url;
}

function readSourceMap(url: string): SourceMap | undefined {
  const path = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
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
