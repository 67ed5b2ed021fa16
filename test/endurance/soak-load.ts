import type { Dispatcher } from 'undici';
import { Pool } from 'undici';

const AT_ONCE = 24;
/** Callers think between two questions. */
const LONGEST_PAUSE_MS = 40;
const LONGEST_PATIENCE_MS = 10;

type Request = Omit<Dispatcher.RequestOptions, 'origin' | 'method'> & { method: 'GET' | 'POST' | 'PUT' };

/** One thing that callers do, for the nth time, and the statuses that it may be answered with. */
interface Habit {
  request(n: number): Request;
  statuses: readonly number[];
  /** He may leave before his answer comes. */
  mayLeave?: boolean;
}

const json = { 'content-type': 'application/json', accept: 'application/json' };
const plain = 'query ($id: ID!) { site(id: $id) { id city } }';
const inParts = 'query ($id: ID!) { site(id: $id) { id city ... @defer { clients { name } } } }';
const whole = `query ($id: ID!, $talk: ID!) {
  site(id: $id) { id city clients { name } primaryProject { name } }
  conversationContext(id: $talk) { id subject sites { address site { id city } } }
  health { reachable }
}`;

function post(query: string, n: number, key: string, accept = json.accept): Request {
  const talk = `00000000-0000-4000-8000-${(n % 0xffffffff).toString(16).padStart(12, '0')}`;
  const body = JSON.stringify({ query, variables: { id: `SITE-${n}`, talk } });
  return { method: 'POST', path: '/graphql', headers: { ...json, accept, 'x-api-key': key }, body };
}

/** Sites and keys that come again, and such that come once. */
const known = (n: number) => ({ site: n % 40, key: `key-of-few-${n % 8}` });
const fresh = (n: number) => ({ site: n, key: `key-of-many-${n}` });

/** What REST calls end with does not end the answer: 200 with errors. What all of it ends with may be 403 or 429. */
const answered = [200, 403, 429];

const habits: Habit[] = [
  { request: (n) => post(plain, known(n).site, known(n).key), statuses: answered },
  { request: (n) => post(plain, fresh(n).site, fresh(n).key), statuses: answered },
  { request: (n) => post(whole, known(n).site, known(n).key), statuses: answered },
  { request: (n) => post(whole, fresh(n).site, fresh(n).key), statuses: answered, mayLeave: true },
  { request: (n) => post(inParts, fresh(n).site, fresh(n).key, 'multipart/mixed'), statuses: answered },
  {
    request: (n) => post(inParts, fresh(n).site, fresh(n).key, 'multipart/mixed'),
    statuses: answered,
    mayLeave: true,
  },
  { request: (n) => ({ ...post(plain, known(n).site, known(n).key), reset: true }), statuses: answered },
  {
    request: (n) => post(`{ nothing${n % 1000} }`, n, known(n).key, 'application/graphql-response+json'),
    statuses: [400],
  },
  { request: (n) => ({ ...post(plain, n, known(n).key), body: '{"query":' }), statuses: [400] },
  { request: (n) => ({ ...post(plain, n, 'x'), headers: json }), statuses: [403] },
  { request: () => ({ method: 'GET', path: '/graphql', headers: { accept: 'text/html' } }), statuses: [200] },
  { request: () => ({ method: 'GET', path: '/elsewhere', reset: true }), statuses: [404] },
  { request: () => ({ method: 'PUT', path: '/graphql', headers: json, body: '{}' }), statuses: [405] },
];

export interface Tally {
  /** Answers by status. */
  answers: Record<number, number>;
  left: number;
  /** What was not as it has to be. */
  faults: string[];
}

/** Asks until `end` aborts, as callers do, and leaves no connection behind. */
export async function runCallers(url: string, end: AbortSignal): Promise<Tally> {
  const pool = new Pool(new URL(url).origin, { connections: AT_ONCE });
  const tally: Tally = { answers: {}, left: 0, faults: [] };
  let next = 0;
  const call = async () => {
    while (!end.aborted) {
      const n = next++;
      const habit = habits[n % habits.length];
      if (habit) await askOnce(pool, habit, n, tally);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, call));
  await pool.close();
  return tally;
}

async function askOnce(pool: Pool, { request, statuses, mayLeave }: Habit, n: number, tally: Tally) {
  const departure = new AbortController();
  const timer = mayLeave
    ? setTimeout(() => departure.abort(), Math.random() * LONGEST_PATIENCE_MS)
    : undefined;
  try {
    const { statusCode, body } = await pool.request({ ...request(n), signal: departure.signal });
    await body.dump({ limit: 100_000_000 });
    tally.answers[statusCode] = (tally.answers[statusCode] ?? 0) + 1;
    if (!statuses.includes(statusCode)) tally.faults.push(`${statusCode} to habit ${n % habits.length}`);
  } catch (error) {
    if (departure.signal.aborted) tally.left += 1;
    else tally.faults.push(`${String(error)} to habit ${n % habits.length}`);
  } finally {
    clearTimeout(timer);
  }
}
