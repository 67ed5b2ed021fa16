import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import type { conversationOf } from '../fixtures/conversations.ts';
import type { siteOf } from '../fixtures/sites.ts';
import { settings } from './settings.ts';

// The baseline: a handler for exactly these operations, without a GraphQL library. It gets the same requests as the other
// contenders, and selects the operation by its name.

type Site = ReturnType<typeof siteOf>;
type Conversation = ReturnType<typeof conversationOf>;

interface Params {
  operationName: string;
  variables: { id: string; ids: string[] };
}

const pool = new Pool(settings.upstreamUrl, { connections: settings.connections });

createServer((req, res) => {
  serve(req, res).catch(() => res.writeHead(500).end());
}).listen(settings.port, settings.host);

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const params = JSON.parse(await textOf(req)) as Params;
  const data = await execute(params, String(req.headers['x-api-key'] ?? ''));
  const body = JSON.stringify({ data });
  res.writeHead(200, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
  ]);
  // Head and body in one text, and one write: `end(body)` would be two.
  res.write(body);
  res.socket?.uncork();
  res.end();
}

function textOf(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks).toString()));
    req.on('error', reject);
  });
}

async function execute({ operationName, variables: { id, ids } }: Params, key: string): Promise<object> {
  switch (operationName) {
    case 'Clients':
      return { site: withClients(await get<Site>(`${sitePath(id)}?include=clients`, key)) };
    case 'Messages':
      return { conversationContext: messagesOf(await get<Conversation>(contextPath(id), key)) };
    default:
      return { sites: await Promise.all(ids.map(async (one) => bare(await get<Site>(sitePath(one), key)))) };
  }
}

/** The resource at a path of the REST API, by the cheapest documented interface of undici. */
function get<T>(path: string, key: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pool.dispatch(
      { method: 'GET', path, headers: { 'x-api-key': key } },
      {
        onRequestStart() {},
        onResponseStart(controller, status) {
          if (status !== 200) controller.abort(new Error(`the REST API responded with ${status}`));
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          const [only] = chunks;
          resolve(JSON.parse((only && chunks.length === 1 ? only : Buffer.concat(chunks)).toString()) as T);
        },
        onResponseError(_, error) {
          reject(error);
        },
      },
    );
  });
}

function messagesOf({ subject, status, messages }: Conversation) {
  return {
    subject,
    status,
    messages: messages.map(({ author, createdAt, text }) => ({ author, createdAt, text })),
  };
}

function bare({ id, address1, city, serviceLevel }: Site) {
  return { id, address1, city, serviceLevel: serviceLevel.toUpperCase().replaceAll(' ', '_') };
}

function withClients(site: Site) {
  return {
    ...bare(site),
    clients: site.clients?.map(({ id, name, emails }) => ({
      id,
      name,
      emails: emails.map(({ value, isPrimary }) => ({ value, isPrimary })),
    })),
  };
}

function contextPath(id: string): string {
  return `/v1/conversation/${encodeURIComponent(id)}/context`;
}

function sitePath(id: string): string {
  return `/v1/site/${encodeURIComponent(id)}`;
}
