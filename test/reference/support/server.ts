import { onTestFinished } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { type Reference, type ReferenceOptions, startReference } from '../../../reference/server.ts';
import { send, type WireResponse } from '../../support/wire.ts';

export type Headers = Record<string, string | string[]>;

/** The options of a server, with a new database in memory unless `changes` name one. */
export function optionsWith(changes: Partial<ReferenceOptions>): ReferenceOptions {
  const databaseUrl = ':memory:';
  return { databaseUrl, environment: 'test', siteIdPrefix: 'SITE', host: '127.0.0.1', port: 0, ...changes };
}

/** A server until the end of the test. */
export async function startFresh(changes: Partial<ReferenceOptions> = {}): Promise<Reference> {
  const reference = await startReference(optionsWith(changes));
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
