import { Agent, type ClientRequest, request } from 'node:http';

export interface LoadedStream {
  key: string;
  id: string;
  events: number;
  latest: string;
  close(): void;
}

export interface StreamLoad {
  key: string;
  id: string;
  query: string;
  onEvent?(stream: LoadedStream, text: string): void;
}

/** No limit: each stream has a connection of its own. */
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

/** Opens one stream at little cost, for tests with many of them; resolves with its first event. */
function loadStream(url: string, { key, id, query, onEvent }: StreamLoad): Promise<LoadedStream> {
  return new Promise((resolve, reject) => {
    const req: ClientRequest = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
    });
    const stream: LoadedStream = { key, id, events: 0, latest: '', close: () => req.destroy() };
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.on('error', () => {});
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, data] = /^data: (.+)$/m.exec(text.slice(0, end)) ?? [];
          text = text.slice(end + 2);
          if (data === undefined) continue;
          stream.events += 1;
          stream.latest = data;
          onEvent?.(stream, data);
          resolve(stream);
        }
      });
      if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`));
    });
    req.end(JSON.stringify({ query, variables: { id } }));
  });
}

/** Opens many streams, a few at a time; resolves with the first event of each. */
export async function loadStreams(url: string, loads: readonly StreamLoad[]): Promise<LoadedStream[]> {
  const streams: LoadedStream[] = [];
  for (let n = 0; n < loads.length; n += 50) {
    streams.push(...(await Promise.all(loads.slice(n, n + 50).map((load) => loadStream(url, load)))));
  }
  return streams;
}
