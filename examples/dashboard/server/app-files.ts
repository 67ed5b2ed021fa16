import { readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The page loads its own scripts and styles, and talks to this server alone. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Serves the files of a build, which it reads once: a path is looked up among their names, and never reaches the disk.
 * A browser that opens any other path gets the page of the app.
 */
export function createAppFiles(folder: string): RequestListener {
  const files = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => {
        const body = readFileSync(path);
        return [
          `/${relative(folder, path).replaceAll(sep, '/')}`,
          { type: types[extname(path)], body, brotli: brotliCompressSync(body) },
        ];
      }),
  );
  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { allow: 'GET, HEAD' }).end();
    const path = (req.url ?? '').replace(/\?.*/s, '');
    const isPage = req.headers.accept?.includes('text/html');
    const file = files.get(path) ?? (isPage ? files.get('/index.html') : undefined);
    if (!file) return void res.writeHead(404, headers).end();
    const isCompressed = /\bbr\b/.test(String(req.headers['accept-encoding']));
    res.writeHead(200, {
      ...headers,
      ...(file.type && { 'content-type': file.type }),
      ...(isCompressed && { 'content-encoding': 'br' }),
      vary: 'accept-encoding',
      // The names of the assets have a digest of their content.
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
    });
    res.end(req.method === 'HEAD' ? undefined : isCompressed ? file.brotli : file.body);
  };
}
