import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { fail, forward } from './forward.ts';
import { createSessions, type Sessions } from './sessions.ts';

export interface BackendOptions {
  /** The URL of `/graphql` on the gateway. */
  gateway: URL;
  /** How long the gateway may send nothing, in milliseconds; absent: a minute. */
  idleMs?: number;
  /** The hosts, with their ports, that the dashboard is served at. Requests for others get 421 (DNS rebinding). */
  hosts: ReadonlySet<string>;
  /** Whether browsers reach this process over TLS: then they send the cookie over nothing else. */
  isSecure: boolean;
  /** The API key for the user of this request; undefined if no user is signed in. Put your own login here. */
  signIn(req: IncomingMessage): Promise<string | undefined>;
  /** Serves the page and its scripts. */
  app: RequestListener;
  sessions?: Sessions;
}

/** A backend for the frontend: it holds the API keys, so that none reaches a browser, and forwards POST /graphql alone. */
export function createBackend(options: BackendOptions): Server {
  const { gateway, idleMs, hosts, isSecure, signIn, app, sessions = createSessions() } = options;
  // With this prefix a browser accepts the cookie over TLS only, and from no other host.
  const cookie = isSecure ? '__Host-session' : 'session';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

  const listener: RequestListener = (req, res) => {
    const apiKey = sessions.keyOf(cookieFrom(req, cookie));
    if (!hosts.has(req.headers.host ?? '')) fail(res, 421, 'MISDIRECTED', 'Not a host of this dashboard.');
    else if (req.url !== '/graphql' && apiKey === undefined && isPage(req)) void openSession(req, res);
    else if (req.url !== '/graphql') app(req, res);
    else if (req.method !== 'POST') fail(res, 405, 'BAD_REQUEST', 'Only POST is accepted.');
    else if (!isSameOrigin(req)) fail(res, 403, 'CROSS_SITE', 'Requests of other sites are refused.');
    else if (apiKey === undefined) fail(res, 401, 'UNAUTHENTICATED', 'The session has ended.');
    else forward(req, res, { gateway, apiKey, idleMs }).catch(() => failToForward(res));
  };
  async function openSession(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const key = await signIn(req);
      if (key !== undefined) res.setHeader('set-cookie', `${cookie}=${sessions.create(key)}; ${attributes}`);
      app(req, res);
    } catch {
      fail(res, 500, 'INTERNAL_SERVER_ERROR', 'The login failed.');
    }
  }

  return createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, listener);
}

/** An exception of `node:http`: the key is no header value, or the URL is neither `http:` nor `https:`. */
function failToForward(res: ServerResponse): void {
  fail(
    res,
    500,
    'INTERNAL_SERVER_ERROR',
    'The backend cannot call the gateway: its URL or key is not valid.',
  );
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
