import { onTestFinished } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { type Reference, type ReferenceOptions, startReference } from '../../../reference/server.ts';
import { send, type WireResponse } from '../../support/wire.ts';
import { freshDatabasePath } from './database.ts';

export type Headers = Record<string, string | string[]>;

export function optionsFor(path: string, changes: Partial<ReferenceOptions> = {}): ReferenceOptions {
  const databaseUrl = `file:${path}`;
  return { databaseUrl, environment: 'test', siteIdPrefix: 'SITE', host: '127.0.0.1', port: 0, ...changes };
}

/** A server until the end of the test, on a new database unless `changes` name one. */
export async function startFresh(changes: Partial<ReferenceOptions> = {}): Promise<Reference> {
  const reference = await startReference(optionsFor(await freshDatabasePath(), changes));
  onTestFinished(() => reference.close());
  return reference;
}

/** Sends the target as it is. The default key is Acme's. */
export const sendRequest = (
  { url }: { url: string },
  target: string,
  headers: Headers = { 'x-api-key': demoKeys.acme },
  method = 'GET',
): Promise<WireResponse> => send(url, { method, path: target, headers });

export const siteTarget = (id: string, query = '') => `/v1/site/${encodeURIComponent(id)}${query}`;
export const contextTarget = (id: string) => `/v1/conversation/${id}/context`;
export const withKey = (key: string): Headers => ({ 'x-api-key': key });
