import { Pool } from 'undici';

const AT_ONCE = 64;
/** One request in so many leaves before its answer comes. */
const LEAVES_EVERY = 7;
const LONGEST_PATIENCE_MS = 8;

const whole = `query ($id: ID!, $talk: ID!) {
  site(id: $id) { id city clients { name } primaryProject { name } }
  conversationContext(id: $talk) { id subject sites { address site { id city } } }
}`;
const inParts = 'query ($id: ID!) { site(id: $id) { id city ... @defer { clients { name } } } }';
const plain = 'query ($id: ID!) { site(id: $id) { id city } }';
const queries = [plain, inParts, whole, inParts, whole, plain];

/** The nth of a series of requests: two after each other ask for the same, with what was never asked with before. */
function requestOf(n: number) {
  const pair = n >> 1;
  const headers = {
    'content-type': 'application/json',
    accept: n % 2 === 0 ? 'application/json' : 'multipart/mixed',
    'x-api-key': pair % 4 === 0 ? `key-of-few-${pair % 20}` : `key-of-many-${pair}`,
  };
  const talk = `00000000-0000-4000-8000-${pair.toString(16).padStart(12, '0')}`;
  const body = JSON.stringify({
    query: queries[n % queries.length],
    variables: { id: `SITE-${pair}`, talk },
  });
  return { headers, body };
}

/** Asks the requests from `first` on, some at a time, and leaves no connection behind. */
export async function runLoad(url: string, first: number, requests: number): Promise<{ left: number }> {
  const pool = new Pool(new URL(url).origin, { connections: AT_ONCE });
  const end = first + requests;
  let next = first;
  let left = 0;
  const ask = async () => {
    for (let n = next++; n < end; n = next++) {
      const departure = new AbortController();
      const timer =
        n % LEAVES_EVERY === 0
          ? setTimeout(() => departure.abort(), Math.random() * LONGEST_PATIENCE_MS)
          : undefined;
      try {
        const request = {
          method: 'POST',
          path: '/graphql',
          ...requestOf(n),
          signal: departure.signal,
        } as const;
        await (await pool.request(request)).body.dump();
      } catch (error) {
        if (!departure.signal.aborted) throw error;
        left += 1;
      } finally {
        clearTimeout(timer);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  await pool.destroy();
  return { left };
}
