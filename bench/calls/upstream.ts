import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sitesOf } from './dashboards.ts';

export interface Upstream {
  url: string;
  /** How many requests came so far. */
  asked(): number;
  close(): void;
}

/** A REST API that answers everything after `delayMs`, and counts. */
export async function startUpstream(delayMs: number): Promise<Upstream> {
  let asked = 0;
  const server = createServer((req, res) => {
    asked += 1;
    setTimeout(answer, delayMs, req.url ?? '', res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const three = [0, 1, 2];

function answer(path: string, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(path, 'http://upstream.test');
  const [, , kind, id = ''] = pathname.split('/');
  const include = searchParams.get('include') ?? '';
  const json = kind === 'site' ? site(id, include) : conversation(id);
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

function site(id: string, include: string): object {
  const address = { address1: '1 Orchard Lane', address2: null, city: 'Bend', state: 'OR', zip: '97701' };
  return {
    id,
    ...address,
    serviceLevel: 'Signature',
    businessName: `Orchard of ${id}`,
    ...(include.includes('clients') && {
      clients: three.map((n) => ({ id: `${n}`, name: `Resident ${n}` })),
    }),
    ...(include.includes('projects') && {
      projects: three.map((n) => ({ id: `${n}`, name: `Project ${n}` })),
    }),
  };
}

function conversation(id: string): object {
  return {
    subject: 'The heat pump hums',
    status: 'open',
    messages: three.map((n) => ({
      author: `Resident ${n}`,
      text: 'It does so again, at night most of all.',
    })),
    sites: sitesOf(id).map((n) => ({ id: `SITE-${n}`, address: `${n} Orchard Lane` })),
  };
}
