import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Assets, type Resource, readAssets, textResource } from './assets.ts';
import { type GraphiqlOptions, graphiqlPage } from './page.ts';

export interface Graphiql {
  /**
   * Responds to a request for the page or one of its files; returns undefined for any other request.
   * @throws Error where the page is not built.
   */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void> | undefined;
}

/** The names of the files have a hash of their content. */
const immutable = { 'cache-control': 'public, max-age=31536000, immutable' };

/**
 * Serves GraphiQL at `/graphql` to clients that accept HTML, and its files below `/graphiql/`. Redirects `/` to the page, for
 * these clients only.
 */
export function createGraphiql(options: GraphiqlOptions): Graphiql {
  let built: Assets | undefined;
  const assets = () => {
    built ??= readAssets();
    return built;
  };
  const page = textResource('text/html; charset=utf-8', () => graphiqlPage(options, assets().manifest));

  return {
    handle(req, res) {
      if (req.method !== 'GET' && req.method !== 'HEAD') return undefined;
      const [path = ''] = (req.url ?? '').split('?', 1);
      if (path === '/' || path === '/graphql') {
        if (!req.headers.accept?.includes('text/html')) return undefined;
        return path === '/' ? redirect(res) : send(page, req, res);
      }
      const [, name] = /^\/graphiql\/([^/]+)$/.exec(path) ?? [];
      const file = name === undefined ? undefined : assets().files.get(name);
      return file && send(file, req, res, immutable);
    },
  };
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

/** By a relative URL, so that a path prefix in front of the gateway keeps working. */
async function redirect(res: ServerResponse) {
  res.appendHeader('vary', 'accept');
  res.writeHead(302, { location: 'graphql', 'content-length': 0 }).end();
}

async function send(
  { type, plain, gzipped }: Resource,
  req: IncomingMessage,
  res: ServerResponse,
  fields: Record<string, string> = {},
) {
  const compress = acceptsGzip(req);
  const body = await (compress ? gzipped() : plain());
  // An invalid rest of the request may have got an error response meanwhile.
  if (res.headersSent) return;
  res.appendHeader('vary', 'accept, accept-encoding');
  res.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    ...(compress && { 'content-encoding': 'gzip' }),
    ...fields,
    // For the files too: a worker has the policy of its own response, not that of its page.
    'content-security-policy': contentSecurityPolicy,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Whether `Accept-Encoding` has gzip with a weight other than zero. */
function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?![.\d]*[1-9]))/i.test(String(headers['accept-encoding'] ?? ''));
}
