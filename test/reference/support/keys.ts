import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { readReferenceConfig } from '../../../reference/config.ts';
import { createKeyAdmin, type KeyRequest } from '../../../reference/keys/admin.ts';
import { runKeyCommand } from '../../../reference/keys/command.ts';
import type { WireResponse } from '../../support/wire.ts';
import { openDatabase } from './database.ts';
import { sendRequest } from './server.ts';

export const request: KeyRequest = {
  partnerId: 'acme',
  environment: 'test',
  description: 'Shows sites on a map',
  contact: 'maps@acme-property.example',
  scopes: ['site:read', 'conversation:read'],
  expiresAt: null,
};

/** The same request as arguments of `npm run keys`. */
export const issueArgs = [
  'issue',
  ...['--partner', 'acme', '--environment', 'test', '--description', 'Shows sites on a map'],
  ...['--contact', 'maps@acme-property.example', '--scopes', 'site:read,conversation:read'],
];

/** Runs a command of `npm run keys` in this process, on a database connection of its own. */
export async function runKeys(databaseUrl: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const config = readReferenceConfig({ REFERENCE_DATABASE_URL: databaseUrl, ...env });
  return { code: 0, output: '', errors: [], ...(await runKeyCommand(args, config)) };
}

/** Issues a key at the time `now`. */
export async function issueLink(databaseUrl: string, now = Date.now, changes: Partial<KeyRequest> = {}) {
  const admin = createKeyAdmin(await openDatabase(databaseUrl), { now });
  const { key, token } = await admin.issue({ ...request, ...changes });
  return { name: key.name, token, target: `/link/${token}` };
}

/** Presses the button on the page of a link. */
export const press = (server: { url: string }, target: string): Promise<WireResponse> =>
  sendRequest(server, target, { 'content-type': 'application/x-www-form-urlencoded' }, 'POST');

/** One press per server of the list, all sent at once over open connections. */
export async function pressTogether(servers: { url: string }[], target: string): Promise<string[]> {
  const sockets = servers.map(({ url }) => connect(Number(new URL(url).port), '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const responses = sockets.map((socket) => text(socket));
  for (const socket of sockets) {
    socket.write(`POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
  return Promise.all(responses);
}

/** The key on a page; null if it shows none. */
export const keyOn = ({ body }: { body: string }): string | null =>
  /<pre>([^<]*)<\/pre>/.exec(body)?.[1] ?? null;
