import { onTestFinished } from 'vitest';
import { createServer, type Listener } from '../../src/http/server.ts';

/** A server on a free port, closed at the end of the test. */
export async function startServer(listener: Listener, options: Parameters<typeof createServer>[0]) {
  const server = createServer(options);
  const url = await server.start(listener);
  onTestFinished(async () => void (await server.drain(0)));
  return { url, drain: server.drain };
}
