import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type GraphiqlOptions, graphiqlPage, logo, startScript } from './page.ts';

export interface Graphiql {
  /** Responds to a request for the page or one of its assets; returns undefined for any other request. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void> | undefined;
}

/** Serves GraphiQL at `/graphql` to clients that accept HTML, with every asset from this origin. */
export function createGraphiql(options: GraphiqlOptions): Graphiql {
  const page = resource('text/html; charset=utf-8', () => graphiqlPage(options));

  function find({ method, url = '', headers }: IncomingMessage): Resource | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const [path = ''] = url.split('?', 1);
    if (path === '/graphql') return headers.accept?.includes('text/html') ? page : undefined;
    return assets.get(path);
  }

  return {
    handle(req, res) {
      const found = find(req);
      return found && send(found, req, res);
    },
  };
}

/** A file to serve. Its bytes are created at the first request, and kept. */
interface Resource {
  type: string;
  plain(): Promise<Buffer>;
  gzipped(): Promise<Buffer>;
}

function resource(type: string, text: () => string | Promise<string>): Resource {
  const plain = once(async () => Buffer.from(await text()));
  const gzipped = once(async () => promisify(gzip)(await plain()));
  return { type, plain, gzipped };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** One of the strings of Yoga's bundle: 9 MB that are loaded with the first asset, not at start-up. */
type BundlePart = keyof typeof import('@graphql-yoga/render-graphiql/graphiql');

function bundled(type: string, part: BundlePart): Resource {
  return resource(type, async () => (await import('@graphql-yoga/render-graphiql/graphiql'))[part]);
}

const javascript = 'text/javascript; charset=utf-8';

const assets: ReadonlyMap<string, Resource> = new Map([
  ['/graphiql/logo.svg', resource('image/svg+xml; charset=utf-8', () => logo)],
  ['/graphiql/start.js', resource(javascript, () => startScript)],
  ['/graphiql/graphiql.js', bundled(javascript, 'js')],
  ['/graphiql/graphiql.css', bundled('text/css; charset=utf-8', 'css')],
  ['/graphiql/editor.worker.js', bundled(javascript, 'editorWorkerService')],
  ['/graphiql/graphql.worker.js', bundled(javascript, 'graphqlWorker')],
  ['/graphiql/json.worker.js', bundled(javascript, 'jsonWorker')],
]);

/** Monaco writes its themes as style elements and has its icons as data URIs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

async function send({ type, plain, gzipped }: Resource, req: IncomingMessage, res: ServerResponse) {
  const compress = acceptsGzip(req);
  const body = await (compress ? gzipped() : plain());
  // An invalid rest of the request may have got an error response meanwhile.
  if (res.headersSent) return;
  res.appendHeader('vary', 'accept, accept-encoding');
  res.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    ...(compress && { 'content-encoding': 'gzip' }),
    // For the assets too: a worker has the policy of its own response, not that of its page.
    'content-security-policy': contentSecurityPolicy,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Whether `Accept-Encoding` has gzip with a weight other than zero. */
function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?![.\d]*[1-9]))/i.test(String(headers['accept-encoding'] ?? ''));
}
