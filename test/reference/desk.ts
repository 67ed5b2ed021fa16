import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type ReferenceDatabase, startDatabase } from '../../src/reference/database.ts';
import { createSupport, type KeyRequest } from '../../src/reference/support.ts';
import { type Answer, ask } from './harness.ts';

export const request: KeyRequest = {
  partnerId: 'acme',
  environment: 'test',
  description: 'Shows sites on a map',
  contact: 'maps@acme-property.example',
  scopes: ['site:read', 'conversation:read'],
  expiresAt: null,
  linkHours: 24,
};

export const issueArgs = [
  'issue',
  ...['--partner', 'acme', '--environment', 'test', '--description', 'Shows sites on a map'],
  ...['--contact', 'maps@acme-property.example', '--scopes', 'site:read,conversation:read'],
];

export interface DeskRun {
  code: number;
  out: string;
  err: string;
}

/** The desk as its own process, to its end. */
export async function runDesk(databaseUrl: string, args: string[], env = {}): Promise<DeskRun> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/reference/desk.ts', ...args], {
    env: { PATH: process.env.PATH, REFERENCE_DATABASE_URL: databaseUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = { code: 0, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    run.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    run.err += chunk;
  });
  [run.code] = await once(child, 'close');
  return run;
}

/** A connection of the test's own, beside whatever serves the same database. */
export async function openDatabase(databaseUrl: string): Promise<ReferenceDatabase> {
  const db = await startDatabase(databaseUrl, async () => {});
  onTestFinished(() => db.destroy());
  return db;
}

/** A link as `now` issues it, through to the target that it leads to. */
export async function issueLink(databaseUrl: string, now = Date.now, changes: Partial<KeyRequest> = {}) {
  const support = createSupport(await openDatabase(databaseUrl), { now });
  const { key, token } = await support.issue({ ...request, ...changes });
  return { name: key.name, token, target: `/link/${token}` };
}

export const press = (server: { url: string }, target: string): Promise<Answer> =>
  ask(server, target, { 'content-type': 'application/x-www-form-urlencoded' }, 'POST');

/** As many presses as there are servers named, all sent in the same instant over connections that stand. */
export async function pressTogether(servers: { url: string }[], target: string): Promise<string[]> {
  const sockets = servers.map(({ url }) => connect(Number(new URL(url).port), '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answers = sockets.map((socket) => text(socket));
  for (const socket of sockets) {
    socket.write(`POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
  return Promise.all(answers);
}

/** The key on a page that shows one. */
export const keyOn = ({ body }: { body: string }): string | null =>
  /<pre>([^<]*)<\/pre>/.exec(body)?.[1] ?? null;
