import { onTestFinished } from 'vitest';
import { issueArgs, keyOn, press, runKeys } from '../reference/support/keys.ts';
import { ask } from '../support/gateway.ts';
import { freshPostgresUrl } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { startUpstream } from '../support/upstream.ts';

interface House {
  redisUrl?: string;
  /** Settings of the gateways. */
  env?: Record<string, string>;
  /** What stands between the gateways and the references; it is given where these are, and tells where it is. */
  between?: (urls: string[]) => Promise<string>;
}

/** Two gateways before two references: four processes, which share a Postgres and, with `redisUrl`, a Redis. */
export async function startHouse({ redisUrl = '', env = {}, between }: House) {
  const databaseUrl = await freshPostgresUrl();
  const shared = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_RATE_LIMIT_URL: redisUrl };
  const references = await Promise.all([1, 2].map(() => startServer('reference/main.ts', shared)));
  const urls = references.map(({ url }) => url);
  const upstream = await between?.(urls);
  const gateways = await Promise.all(
    urls.map((url) => startServer('main.ts', { UPSTREAM_URL: upstream ?? url, CACHE_URL: redisUrl, ...env })),
  );
  const desk = (...args: string[]) => runKeys(databaseUrl, args, { REFERENCE_PUBLIC_URL: urls[0] });
  return {
    gateways,
    /** What support does, beside whatever serves. */
    desk,
    /** A key that a partner has been handed: he has followed the link. */
    async issueKey(): Promise<string> {
      const { output } = await desk(...issueArgs);
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

/** Gives each request to the next of these servers, and takes from the answers that they must not be kept. */
export async function startBalancer(urls: string[]): Promise<string> {
  let turn = 0;
  const { url } = await startUpstream(async (req, res) => {
    turn += 1;
    const key = req.headers['x-api-key']?.toString() ?? '';
    const answer = await fetch(`${urls[turn % urls.length]}${req.url}`, { headers: { 'x-api-key': key } });
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  return url;
}

/** One question with where its answer came from. */
export async function explain(url: string, key: string) {
  const answer = await ask(url, '{ site(id: "SITE-1001") { id city } }', {
    key,
    headers: { 'x-explain': 'report' },
  });
  return { ...answer, source: answer.extensions?.upstream?.calls[0]?.source };
}

/** Asks on and on until the last answer `isLast`, or the test is over. */
export async function askUntil<T>(askOnce: () => Promise<T>, isLast: (answer: T) => boolean): Promise<T[]> {
  let isWaitedFor = true;
  onTestFinished(() => {
    isWaitedFor = false;
  });
  const answers: T[] = [];
  while (isWaitedFor) {
    const answer = await askOnce();
    answers.push(answer);
    if (isLast(answer)) break;
  }
  return answers;
}
