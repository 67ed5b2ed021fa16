import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { PageManifest } from './manifest.ts';

/** Something to serve. Its bytes are read or created at the first request, and kept. */
export interface Resource {
  type: string;
  plain(): Promise<Buffer>;
  gzipped(): Promise<Buffer>;
}

/** A resource of text that is created at the first request. */
export function textResource(type: string, text: () => string): Resource {
  const plain = once(async () => Buffer.from(text()));
  return { type, plain, gzipped: once(async () => promisify(gzip)(await plain())) };
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** The built page: its manifest, and its files by name. Only files that the manifest lists exist. */
export interface Assets {
  manifest: PageManifest;
  files: ReadonlyMap<string, Resource>;
}

/** Reads the manifest. @throws Error where the page is not built. */
export function readAssets(): Assets {
  const manifest: PageManifest = JSON.parse(readFileSync(pathOf('manifest.json'), 'utf8'));
  return { manifest, files: new Map(manifest.files.map((name) => [name, fileResource(name)])) };
}

function fileResource(name: string): Resource {
  const type = types[extname(name)] ?? 'application/octet-stream';
  // Fonts are compressed by their format.
  if (type.startsWith('font/')) {
    const stored = once(() => readFile(pathOf(name)));
    return { type, plain: stored, gzipped: once(async () => promisify(gzip)(await stored())) };
  }
  const gzipped = once(() => readFile(pathOf(`${name}.gz`)));
  return { type, plain: once(async () => promisify(gunzip)(await gzipped())), gzipped };
}

/** The path of a built file, which package.json maps for the bundle and for the sources alike. */
function pathOf(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(`#graphiql/${name}`);
  } catch {
    throw new Error(`GraphiQL has no file ${name}: run npm run build`);
  }
}

/** Makes it at the first call; after a failure, at the next one again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((fault: unknown) => {
      made = undefined;
      throw fault;
    });
    return made;
  };
}
