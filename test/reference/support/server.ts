import { request } from 'node:http';
import { connect } from 'node:net';
import Sqlite from 'libsql';
import { onTestFinished } from 'vitest';
import { demoKeys } from '../../../src/reference/data/demo-ids.ts';
import { type Reference, type ReferenceOptions, startReference } from '../../../src/reference/server.ts';
import { freshDatabasePath } from './database.ts';

export interface ReferenceResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export type Headers = Record<string, string | string[]>;

export function optionsFor(path: string, changes: Partial<ReferenceOptions> = {}): ReferenceOptions {
  const databaseUrl = `file:${path}`;
  return { databaseUrl, environment: 'test', siteIdPrefix: 'SITE', host: '127.0.0.1', port: 0, ...changes };
}

/** Breaks a database under a running server: a response other than 500 then needed no query. */
export function dropTable(path: string, table: 'sites' | 'conversations' | 'links'): void {
  const db = new Sqlite(path);
  db.exec(`drop table ${table}`);
  db.close();
}

/** A server until the end of the test, on a new database unless `changes` name one. */
export async function startFresh(changes: Partial<ReferenceOptions> = {}): Promise<Reference> {
  const reference = await startReference(optionsFor(await freshDatabasePath(), changes));
  onTestFinished(() => reference.close());
  return reference;
}

/** Sends the target as it is, which fetch would normalise. The default key is Acme's. */
export function sendRequest(
  { url }: { url: string },
  target: string,
  headers: Headers = { 'x-api-key': demoKeys.acme },
  method = 'GET',
): Promise<ReferenceResponse> {
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

/** Sends bytes as they are, and resolves with everything received until the connection closes. */
export function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

export const siteTarget = (id: string, query = '') => `/v1/site/${encodeURIComponent(id)}${query}`;
export const contextTarget = (id: string) => `/v1/conversation/${id}/context`;
export const withKey = (key: string): Headers => ({ 'x-api-key': key });
