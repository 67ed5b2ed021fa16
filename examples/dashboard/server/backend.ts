import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { fail, forward } from './forward.ts';
import { createSessions, type Sessions } from './sessions.ts';

export interface BackendOptions {
  /** The URL of `/graphql` on the gateway. */
  gateway: URL;
  /** The hosts, with their ports, that the dashboard is served at. Requests for others get 421 (DNS rebinding). */
  hosts: ReadonlySet<string>;
  /** Browsers reach this process over TLS, and send the cookie over nothing else. */
  isSecure: boolean;
  /** The API key for the user of this request; undefined if no user is signed in. Put your own login here. */
  signIn(req: IncomingMessage): Promise<string | undefined>;
  /** Serves the page and its scripts. */
  app: RequestListener;
  sessions?: Sessions;
}

/** A backend for the frontend: it holds the API keys, so that none reaches a browser, and forwards POST /graphql alone. */
export function createBackend(options: BackendOptions) {
  const { gateway, hosts, isSecure, signIn, app, sessions = createSessions() } = options;
  // With this prefix a browser accepts the cookie over TLS only, and from no other host.
  const cookie = isSecure ? '__Host-session' : 'session';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const draining = new AbortController();
  // One listener for each live stream.
  setMaxListeners(0, draining.signal);

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    if (req.url === '/healthz') return res.writeHead(draining.signal.aborted ? 503 : 200).end();
    if (!hosts.has(req.headers.host ?? ''))
      return fail(res, 421, 'MISDIRECTED', 'Not a host of this dashboard.');
    const apiKey = sessions.keyOf(cookieFrom(req, cookie));
    if (req.url !== '/graphql') {
      const key = isPage(req) ? (apiKey ?? (await signIn(req))) : undefined;
      if (key !== undefined) res.setHeader('set-cookie', `${cookie}=${sessions.create(key)}; ${attributes}`);
      return app(req, res);
    }
    if (req.method !== 'POST') return fail(res, 405, 'BAD_REQUEST', 'Only POST is accepted.');
    if (!isSameOrigin(req)) return fail(res, 403, 'CROSS_SITE', 'Requests of other sites are rejected.');
    if (apiKey === undefined) return fail(res, 401, 'UNAUTHENTICATED', 'The session has ended.');
    return forward(req, res, { gateway, apiKey, draining: draining.signal });
  }

  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (req, res) => {
    // The login failed.
    respond(req, res).catch(() => fail(res, 500, 'INTERNAL_SERVER_ERROR', 'The login failed.'));
  });
  // Node reports here that it could not accept a connection. The next one may succeed.
  server.on('error', () => {});

  return {
    server,
    /** Accepts no more connections, cuts off live streams, which pages open again, and waits for the other responses. */
    async drain(timeoutMs: number): Promise<void> {
      // Closes a connection after its response.
      server.keepAliveTimeout = 1;
      server.close();
      draining.abort();
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await once(server, 'close');
      clearTimeout(timer);
    },
  };
}

/** Browsers send `Origin` with every POST, and `Sec-Fetch-Site` with every request to localhost or over TLS. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

function isPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html');
}

function cookieFrom({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split('; ');
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
