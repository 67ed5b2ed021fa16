import { readFileSync } from 'node:fs';
import { SourceMap, type SourceOrigin } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The file that this module is a part of: a bundle in `dist/`, or the module itself in a test. */
const bundle = import.meta.url;
const position = new RegExp(`${bundle.replace(/[^\w/]/g, '\\$&')}:(\\d+):(\\d+)`, 'g');

/** Undefined until the first stack; null where the bundle has none. */
let map: SourceMap | null | undefined;

/**
 * Replaces positions in the bundle by those in `src/`; positions in packages remain. The source map is read for the first
 * stack that is logged: with `node --enable-source-maps` every start reads it, and every error costs half as much again.
 */
export function toSourcePositions(stack: string): string {
  return stack.replace(position, (inBundle, line: string, column: string) => {
    map ??= readSourceMap();
    const origin: SourceOrigin | object = map?.findOrigin(Number(line), Number(column)) ?? {};
    if (!('fileName' in origin) || origin.fileName.includes('/node_modules/')) return inBundle;
    return `${new URL(origin.fileName, bundle).href}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function readSourceMap(): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(bundle)}.map`, 'utf8')));
  } catch {
    return null;
  }
}
