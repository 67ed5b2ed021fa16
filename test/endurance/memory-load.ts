import { Pool } from 'undici';

const AT_ONCE = 64;
/** One request in so many is aborted before its response arrives. */
const ABORTED_EVERY = 7;
const LONGEST_BEFORE_ABORT_MS = 8;

const nested = `query ($id: ID!, $conversation: ID!) {
  site(id: $id) { id city clients { name } primaryProject { name } }
  conversationContext(id: $conversation) { id subject sites { address site { id city } } }
}`;
const incremental = 'query ($id: ID!) { site(id: $id) { id city ... @defer { clients { name } } } }';
const plain = 'query ($id: ID!) { site(id: $id) { id city } }';
const queries = [plain, incremental, nested, incremental, nested, plain];

/** The nth request: two in a row request the same resources, which no earlier request did. */
function requestOf(n: number) {
  const pair = n >> 1;
  const headers = {
    'content-type': 'application/json',
    accept: n % 2 === 0 ? 'application/json' : 'multipart/mixed',
    'x-api-key': pair % 4 === 0 ? `key-of-few-${pair % 20}` : `key-of-many-${pair}`,
  };
  const conversation = `00000000-0000-4000-8000-${pair.toString(16).padStart(12, '0')}`;
  const body = JSON.stringify({
    query: queries[n % queries.length],
    variables: { id: `SITE-${pair}`, conversation },
  });
  return { headers, body };
}

/** Sends the requests from `first` on, some concurrently, and closes all connections. */
export async function runLoad(url: string, first: number, requests: number): Promise<{ aborted: number }> {
  const pool = new Pool(new URL(url).origin, { connections: AT_ONCE });
  const end = first + requests;
  let next = first;
  let aborted = 0;
  const post = async () => {
    for (let n = next++; n < end; n = next++) {
      const client = new AbortController();
      const timer =
        n % ABORTED_EVERY === 0
          ? setTimeout(() => client.abort(), Math.random() * LONGEST_BEFORE_ABORT_MS)
          : undefined;
      try {
        const request = {
          method: 'POST',
          path: '/graphql',
          ...requestOf(n),
          signal: client.signal,
        } as const;
        await (await pool.request(request)).body.dump();
      } catch (error) {
        if (!client.signal.aborted) throw error;
        aborted += 1;
      } finally {
        clearTimeout(timer);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, post));
  await pool.destroy();
  return { aborted };
}
