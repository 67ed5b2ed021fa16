import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { onTestFinished } from 'vitest';
import { demoKeys } from '../../src/reference/data/landmarks.ts';
import { type Reference, type ReferenceOptions, startReference } from '../../src/reference/server.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export type Headers = Record<string, string | string[]>;

/** A path for a database that goes away with the test. */
export async function freshDatabasePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reference-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'made/by/start.db');
}

export function optionsFor(path: string, changes: Partial<ReferenceOptions> = {}): ReferenceOptions {
  const databaseUrl = `file:${path}`;
  return { databaseUrl, environment: 'test', siteIdPrefix: 'SITE', host: '127.0.0.1', port: 0, ...changes };
}

/** Breaks a database under a running server: what then still answers has not asked it. */
export function dropTable(path: string, table: 'sites' | 'conversations' | 'links'): void {
  const db = new Sqlite(path);
  db.exec(`drop table ${table}`);
  db.close();
}

/** A server of its own for one test, on a fresh database unless `changes` name one. */
export async function startFresh(changes: Partial<ReferenceOptions> = {}): Promise<Reference> {
  const reference = await startReference(optionsFor(await freshDatabasePath(), changes));
  onTestFinished(() => reference.close());
  return reference;
}

/** Sends the target byte for byte, which fetch would normalise. The key is Acme's unless `headers` say otherwise. */
export function ask(
  { url }: { url: string },
  target: string,
  headers: Headers = { 'x-api-key': demoKeys.acme },
  method = 'GET',
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Sends bytes as they are and resolves with all that comes back. */
export function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

export const siteTarget = (id: string, query = '') => `/v1/site/${encodeURIComponent(id)}${query}`;
export const contextTarget = (id: string) => `/v1/conversation/${id}/context`;
