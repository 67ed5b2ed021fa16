import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { rowFromKey, type Scope } from '../../../reference/keys/keys.ts';
import { type ReferenceOptions, startReference } from '../../../reference/server.ts';
import { hasPostgres, makePostgres } from '../../support/postgres.ts';
import { type Headers, optionsFor, sendRequest, withKey } from '../support/server.ts';
import { Description } from './description.ts';
import type { Api } from './rule.ts';

export interface Started {
  api: Api;
  close(): Promise<void>;
}

export interface Implementation {
  name: string;
  start(): Promise<Started>;
}

/** The reference on SQLite, on Postgres if it is reachable, and the API at CONTRACT_URL if that is set. */
export function findImplementations(): Implementation[] {
  const sqlite = { name: 'the reference on SQLite', start: startSqlite };
  const postgres = { name: 'the reference on Postgres', start: startPostgres };
  const { CONTRACT_URL: url } = process.env;
  const live = url ? [{ name: 'the API at CONTRACT_URL', start: () => startLive(url) }] : [];
  return [sqlite, ...(hasPostgres ? [postgres] : []), ...live];
}

async function startSqlite(): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  return startOn(`file:${join(folder, 'reference.db')}`, () => rm(folder, { recursive: true }));
}

async function startPostgres(): Promise<Started> {
  const { url, drop } = await makePostgres();
  return startOn(url, drop);
}

async function startOn(databaseUrl: string, drop: () => Promise<void>): Promise<Started> {
  const opened: { close(): Promise<void> }[] = [];
  const demo = {
    globex: demoKeys.globex,
    siteOnly: 'siteonly-key-00000000000',
    conversationOnly: 'talkonly-key-00000000000',
    scopeless: 'noscopes-key-00000000000',
    revoked: 'revoked--key-00000000000',
    expired: 'expired--key-00000000000',
  };
  const open = async (changes: Partial<ReferenceOptions>): Promise<Api> => {
    const reference = await startReference({ ...optionsFor(''), databaseUrl, ...changes });
    opened.push(reference);
    const description = new Description(
      JSON.parse((await sendRequest(reference, '/v1/openapi.json', {})).body),
    );
    return {
      url: reference.url,
      key: demoKeys.acme,
      siteIdPrefix: 'SITE',
      siteId: demoSites().main,
      conversationId: demoConversations.main,
      demo,
      send: (target, headers, method) => requestAndCheck(reference, description, target, headers, method),
      another: open,
    };
  };
  const api = await open({});
  const row = (key: string, scopes: Scope[], changes = {}) =>
    rowFromKey(key, scopes, {
      partner_id: 'acme',
      environment: 'test',
      description: 'the contract suite',
      contact: 'ops@acme-property.example',
      created_at: '2024-01-01T00:00:00.000Z',
      ...changes,
    });
  const db = await startDatabase(databaseUrl, async () => {});
  const past = '2024-02-01T00:00:00.000Z';
  await db
    .insertInto('keys')
    .values([
      row(demo.siteOnly, ['site:read']),
      row(demo.conversationOnly, ['conversation:read']),
      row(demo.scopeless, []),
      row(demo.revoked, ['site:read', 'conversation:read'], { revoked_at: past }),
      row(demo.expired, ['site:read', 'conversation:read'], { expires_at: past }),
    ])
    .execute();
  await db.destroy();
  return {
    api,
    async close() {
      for (const reference of opened) await reference.close();
      await drop();
    },
  };
}

async function requestAndCheck(
  api: { url: string },
  description: Description,
  target: string,
  headers: Headers = withKey(demoKeys.acme),
  method = 'GET',
) {
  const response = await sendRequest(api, target, headers, method);
  description.expectFit(method, target, response);
  return response;
}

/** Uses fetch, for https. The rules for a live API need no target that fetch normalises. */
async function startLive(base: string): Promise<Started> {
  const { CONTRACT_API_KEY: key = '', CONTRACT_SITE_ID: siteId = '', ...env } = process.env;
  const url = base.replace(/\/+$/, '');
  const api: Api = {
    url,
    key,
    siteIdPrefix: siteId.split('-')[0] || 'SITE',
    siteId,
    conversationId: env.CONTRACT_CONVERSATION_ID ?? '',
    demo: null,
    async send(target, headers = withKey(key), method = 'GET') {
      const list = Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      );
      const response = await fetch(`${url}${target}`, { method, headers: list, redirect: 'manual' });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
    another: () => Promise.reject(new Error('a live API has no other')),
  };
  return { api, close: async () => {} };
}
