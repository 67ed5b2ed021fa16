import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBackend } from './backend.ts';

/**
 * Serves the dashboard with the settings of the environment, until a signal ends it. Everyone who opens the page reads with
 * the one key: put a login before it, as the README says.
 */
export async function listen(app: RequestListener): Promise<void> {
  const { PORT = '8080', HOST = '127.0.0.1', PUBLIC_URL, PORTICO_API_KEY } = process.env;
  const { GATEWAY_URL = 'http://127.0.0.1:4000/graphql' } = process.env;
  if (!PORTICO_API_KEY) return exit('Set PORTICO_API_KEY to the API key that the dashboard reads with.');
  const hosts = new Set(PUBLIC_URL ? [new URL(PUBLIC_URL).host] : []);
  const isSecure = PUBLIC_URL?.startsWith('https:') ?? false;
  const signIn = async () => PORTICO_API_KEY;

  const backend = createBackend({ gateway: new URL(GATEWAY_URL), hosts, isSecure, signIn, app });
  backend.on('error', ({ message }) => exit(`${message}: PORT and HOST name another address`));
  backend.listen(Number(PORT), HOST);
  await once(backend, 'listening');
  const { port } = backend.address() as AddressInfo;
  if (!PUBLIC_URL)
    for (const name of ['localhost', '127.0.0.1']) hosts.add(new URL(`http://${name}:${port}`).host);
  console.log(`dashboard at ${PUBLIC_URL ?? `http://localhost:${port}/`}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
}

function exit(message: string): never {
  console.error(message);
  process.exit(1);
}
