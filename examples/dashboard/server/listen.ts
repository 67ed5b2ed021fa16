import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBackend } from './backend.ts';
import { createSessions } from './sessions.ts';

/** The gateway ends an operation after 20 seconds; Kubernetes kills a process after 30. */
const DRAIN_MS = 25_000;

/**
 * Serves the dashboard with the settings of the environment, until a signal ends it. Everyone who opens the page reads with
 * the one key: put a login before it, as the README says.
 */
export async function listen(app: RequestListener): Promise<void> {
  const { PORT = '8080', HOST = '127.0.0.1', PUBLIC_URL, PORTICO_API_KEY, SESSION_SECRET } = process.env;
  const { GATEWAY_URL = 'http://127.0.0.1:4000/graphql' } = process.env;
  if (!PORTICO_API_KEY) return exit('Set PORTICO_API_KEY to the API key that the dashboard reads with.');
  if (SESSION_SECRET && SESSION_SECRET.length < 32)
    return exit('SESSION_SECRET needs at least 32 characters.');
  const hosts = new Set(PUBLIC_URL ? [new URL(PUBLIC_URL).host] : []);
  const { server, drain } = createBackend({
    gateway: new URL(GATEWAY_URL),
    hosts,
    isSecure: PUBLIC_URL?.startsWith('https:') ?? false,
    signIn: async () => PORTICO_API_KEY,
    app,
    sessions: createSessions({ secret: SESSION_SECRET }),
  });

  server.listen(Number(PORT), HOST);
  await once(server, 'listening').catch(({ message }) =>
    exit(`${message}: PORT and HOST name another address`),
  );
  const { port } = server.address() as AddressInfo;
  if (!PUBLIC_URL)
    for (const name of ['localhost', '127.0.0.1']) hosts.add(new URL(`http://${name}:${port}`).host);
  console.log(`dashboard at ${PUBLIC_URL ?? `http://localhost:${port}/`}`);
  // A second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void drain(DRAIN_MS).then(() => process.exit(0)));
  }
}

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
