import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { graphiqlPage, type PageManifest } from './page.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** The page, which is no file of the build. */
const pageName = 'page.html';

/**
 * Serves GraphiQL at `/graphql` to clients that accept HTML, and its files below `/graphiql/`. Redirects `/`
 * to the page, for these clients only. Returns undefined for any other request.
 * @throws Error if the page is not built.
 */
export function createGraphiql(options: Parameters<typeof graphiqlPage>[0]) {
  let manifest: PageManifest | undefined;
  const readManifest = () => {
    manifest ??= JSON.parse(readFileSync(builtFile('manifest.json'), 'utf8')) as PageManifest;
    return manifest;
  };

  const bodies = new Map<string, Promise<Buffer>>();
  /** A file as it is sent, compressed if its name ends in `.gz`. It is read once; after a failure, again. */
  function bodyOf(name: string): Promise<Buffer> {
    const body = bodies.get(name) ?? read(name);
    bodies.set(name, body);
    body.catch(() => bodies.delete(name));
    return body;
  }
  async function read(name: string): Promise<Buffer> {
    if (name === `${pageName}.gz`) return promisify(gzip)(graphiqlPage(options, readManifest()));
    if (isFont(name) || name.endsWith('.gz')) return readFile(builtFile(name));
    return promisify(gunzip)(await bodyOf(`${name}.gz`));
  }

  async function send(req: IncomingMessage, res: ServerResponse, name: string): Promise<void> {
    const compress = !isFont(name) && String(req.headers['accept-encoding']).includes('gzip');
    const body = await bodyOf(compress ? `${name}.gz` : name);
    // An invalid rest of the request may have got an error response meanwhile.
    if (res.headersSent) return;
    res.appendHeader('vary', 'accept, accept-encoding');
    res.writeHead(200, {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'content-length': body.length,
      ...(compress && { 'content-encoding': 'gzip' }),
      // The names of the files have a hash of their content.
      ...(name !== pageName && { 'cache-control': 'public, max-age=31536000, immutable' }),
      // For the files too: a worker has the policy of its own response, not that of its page.
      'content-security-policy': contentSecurityPolicy,
    });
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  return (req: IncomingMessage, res: ServerResponse): Promise<void> | undefined => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return undefined;
    const [path = ''] = (req.url ?? '').split('?', 1);
    if (path === '/' || path === '/graphql') {
      if (!req.headers.accept?.includes('text/html')) return undefined;
      return path === '/' ? redirect(res) : send(req, res, pageName);
    }
    const [, name] = /^\/graphiql\/([^/]+)$/.exec(path) ?? [];
    return name !== undefined && readManifest().files.includes(name) ? send(req, res, name) : undefined;
  };
}

/** By a relative URL, so that a path prefix in front of the gateway keeps working. */
async function redirect(res: ServerResponse): Promise<void> {
  res.appendHeader('vary', 'accept');
  res.writeHead(302, { location: 'graphql', 'content-length': 0 }).end();
}

/** The path of a built file, which package.json maps for the bundle and for the sources alike. */
function builtFile(name: string): string {
  return createRequire(import.meta.url).resolve(`#graphiql/${name}`);
}

/** Fonts are stored as they are, because their format is compressed. */
function isFont(name: string): boolean {
  return types[extname(name)]?.startsWith('font/') ?? false;
}

/** Monaco writes its themes as style elements and has images as data URIs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
