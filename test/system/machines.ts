import { onTestFinished } from 'vitest';
import { issueArgs, keyOn, press, runKeys } from '../reference/support/keys.ts';
import { postQuery } from '../support/gateway.ts';
import { freshPostgresUrl } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { startUpstream } from '../support/upstream.ts';

interface Machines {
  redisUrl?: string;
  /** Settings of the gateways. */
  env?: Record<string, string>;
  /** Starts what is between the gateways and the references: receives their URLs, and returns its own. */
  between?: (urls: string[]) => Promise<string>;
}

/** Two gateways before two references: four processes, which share a Postgres and, with `redisUrl`, a Redis. */
export async function startMachines({ redisUrl = '', env = {}, between }: Machines) {
  const databaseUrl = await freshPostgresUrl();
  const shared = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_RATE_LIMIT_URL: redisUrl };
  const references = await Promise.all([1, 2].map(() => startServer('reference/main.ts', shared)));
  const urls = references.map(({ url }) => url);
  const upstream = await between?.(urls);
  const gateways = await Promise.all(
    urls.map((url) => startServer('main.ts', { UPSTREAM_URL: upstream ?? url, CACHE_URL: redisUrl, ...env })),
  );
  const keys = (...args: string[]) => runKeys(databaseUrl, args, { REFERENCE_PUBLIC_URL: urls[0] });
  return {
    gateways,
    /** Runs the keys CLI in a process of its own. */
    keys,
    /** Issues a key, and takes it from its link as a partner does. */
    async issueKey(): Promise<string> {
      const { output } = await keys(...issueArgs);
      const { origin, pathname } = new URL(/http:\S+\/link\/\S+/.exec(output)?.[0] ?? '');
      return keyOn(await press({ url: origin }, pathname)) ?? '';
    },
  };
}

async function startServer(file: string, env: Record<string, string>) {
  const child = await startProcess(file, { PORT: '0', REFERENCE_PORT: '0', ...env });
  const [, url = ''] = await child.printed(/ready at (\S+)\n/);
  return { ...child, url };
}

/** Passes each request to the next of these servers, and removes `cache-control` from the responses. */
export async function startBalancer(urls: string[]): Promise<string> {
  let turn = 0;
  const { url } = await startUpstream(async (req, res) => {
    turn += 1;
    const key = req.headers['x-api-key']?.toString() ?? '';
    const response = await fetch(`${urls[turn % urls.length]}${req.url}`, { headers: { 'x-api-key': key } });
    res.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text());
  });
  return url;
}

/** The response to one operation, and the source of its REST call. */
export async function explain(url: string, key: string) {
  const response = await postQuery(url, '{ site(id: "SITE-1001") { id city } }', {
    key,
    headers: { 'x-explain': 'report' },
  });
  return { ...response, source: response.extensions?.upstream?.calls[0]?.source };
}

/** Repeats a request until the last response `isLast`, or the test ends. */
export async function postUntil<T>(
  postOnce: () => Promise<T>,
  isLast: (response: T) => boolean,
): Promise<T[]> {
  let isWaitedFor = true;
  onTestFinished(() => {
    isWaitedFor = false;
  });
  const responses: T[] = [];
  while (isWaitedFor) {
    const response = await postOnce();
    responses.push(response);
    if (isLast(response)) break;
  }
  return responses;
}
