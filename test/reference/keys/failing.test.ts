import { expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath, onEngines } from '../support/database.ts';
import { keyOn, press, runKeys } from '../support/keys.ts';
import { contextTarget, sendRequest, siteTarget, startFresh, withKey } from '../support/server.ts';

const targets = ['/v1/health', siteTarget(demoSites().main), contextTarget(demoConversations.main)];

const rows: [key: string, statuses: number[]][] = [
  [demoKeys.acme, [200, 200, 200]],
  [demoKeys.siteOnly, [200, 200, 403]],
  [demoKeys.conversationOnly, [200, 403, 200]],
  [demoKeys.expired, [403, 403, 403]],
  [demoKeys.revoked, [403, 403, 403]],
  [demoKeys.tinyLimit, [200, 200, 200]],
];

onEngines('a demo key', (freshUrl) => {
  it.each(rows)('%s gets %j for health, a site and a conversation', async (key, expected) => {
    const reference = await startFresh({ databaseUrl: await freshUrl() });
    const statuses: number[] = [];
    for (const target of targets) {
      statuses.push((await sendRequest(reference, target, withKey(key))).status);
    }
    expect(statuses).toEqual(expected);
  });
});

it('keeps its own limit when it is rotated', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const reference = await startFresh({ databaseUrl });
  const { output } = await runKeys(databaseUrl, ['rotate', demoKeys.tinyLimit.slice(0, 8)]);
  const key = String(keyOn(await press(reference, /\/link\/\S+/.exec(output)?.[0] ?? '')));
  expect(await readHealth(reference, key)).toEqual([200, '"key";q=3;w=60', '"key";r=2']);
});

const readHealth = async (reference: { url: string }, key: string = demoKeys.tinyLimit) => {
  const { status, headers } = await sendRequest(reference, '/v1/health', withKey(key));
  return [status, headers['ratelimit-policy'], headers.ratelimit?.slice(0, 9)];
};

it('tinyLimit gets three requests per window', async () => {
  const reference = await startFresh({ rateLimit: { limit: 100, windowS: 60 } });
  const read: unknown[] = [];
  for (let n = 0; n < 4; n += 1) read.push(await readHealth(reference));
  const policy = '"key";q=3;w=60';
  expect(read).toEqual([
    [200, policy, '"key";r=2'],
    [200, policy, '"key";r=1'],
    [200, policy, '"key";r=0'],
    [429, policy, '"key";r=0'],
  ]);
  expect((await sendRequest(reference, '/v1/health')).status).toBe(200);
});
