import { expect, it } from 'vitest';
import type { ReferenceDatabase } from '../../../reference/database/tables.ts';
import { createKeyring } from '../../../reference/keys/keyring.ts';
import { createKey, digestFromKey, rowFromKey } from '../../../reference/keys/keys.ts';
import { onEngines, openDatabase } from '../support/database.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const SECOND_MS = 1_000;

/** A database with one key, and a clock that the test sets. */
async function openWithKey(databaseUrl: string, changes: { expires_at?: string } = {}) {
  const db = await openDatabase(databaseUrl);
  const key = createKey();
  const row = rowFromKey(key, ['site:read'], {
    partner_id: 'acme',
    environment: 'test',
    description: 'a test',
    contact: 'ops@acme-property.example',
    created_at: '2024-01-01T00:00:00.000Z',
    ...changes,
  });
  await db.insertInto('keys').values(row).execute();
  const clock = { ms: START_MS };
  const options = { now: () => clock.ms };
  const keyring = createKeyring(db, 'test', options);
  const lastUsed = async () => {
    await keyring.settle();
    const { last_used_at } = await db
      .selectFrom('keys')
      .select('last_used_at')
      .where('name', '=', row.name)
      .executeTakeFirstOrThrow();
    return last_used_at === null ? null : Date.parse(last_used_at) - START_MS;
  };
  return { db, key, name: row.name, clock, options, keyring, lastUsed };
}

/** The same database with a count of its queries. */
function counted(db: ReferenceDatabase) {
  const count = { queries: 0 };
  const through = db.withPlugin({
    transformQuery({ node }) {
      count.queries++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { count, through };
}

onEngines('the keyring', (freshUrl) => {
  it('accepts only the whole key, read or remembered', async () => {
    const { key, keyring, name } = await openWithKey(await freshUrl());
    const others = [`${key}0`, key.slice(0, -1), `${key.slice(0, -1)}!`, `${name}${digestFromKey(key)}`];
    for (const round of ['read', 'remembered']) {
      for (const other of others) expect(await keyring.identify([other]), round).toBeNull();
      expect(await keyring.identify([key]), round).toMatchObject({ partnerId: 'acme', keyName: name });
    }
  });

  it('queries a key once in 500 ms, also for concurrent requests', async () => {
    const { db, key, clock } = await openWithKey(await freshUrl());
    const { count, through } = counted(db);
    const keyring = createKeyring(through, 'test', { now: () => clock.ms });
    // Beside the read there is one update of the last use.
    const callers = await Promise.all(Array.from({ length: 200 }, () => keyring.identify([key])));
    await keyring.settle();
    expect(callers.filter((caller) => caller === null)).toEqual([]);
    const queries = count.queries;
    expect(queries).toBeLessThanOrEqual(4);
    clock.ms += 499;
    expect(keyring.identify([key])).toMatchObject({ partnerId: 'acme' });
    expect(count.queries).toBe(queries);
    clock.ms += 1;
    const reading = keyring.identify([key]);
    expect(reading).toBeInstanceOf(Promise);
    expect(count.queries).toBe(queries + 1);
    await reading;
  });

  it('rejects a key from the millisecond of its expiry on', async () => {
    const expires_at = new Date(START_MS + 10).toISOString();
    const { key, clock, keyring } = await openWithKey(await freshUrl(), { expires_at });
    expect(await keyring.identify([key])).not.toBeNull();
    clock.ms += 9;
    expect(keyring.identify([key])).not.toBeNull();
    clock.ms += 1;
    expect(keyring.identify([key])).toBeNull();
  });

  it('writes the last use once a minute, over all processes', async () => {
    const { db, key, clock, keyring, options, lastUsed } = await openWithKey(await freshUrl());
    expect(await keyring.identify([`${key.slice(0, -1)}!`])).toBeNull();
    expect(await lastUsed()).toBeNull();
    const other = createKeyring(db, 'test', options);
    for (const [ms, noted] of [
      [0, 0],
      [30 * SECOND_MS, 0],
      [59.999 * SECOND_MS, 0],
      [60 * SECOND_MS, 60 * SECOND_MS],
      [100 * SECOND_MS, 60 * SECOND_MS],
    ] as const) {
      clock.ms = START_MS + ms;
      for (const ring of [other, keyring]) {
        await ring.identify([key]);
        await ring.settle();
      }
      expect(await lastUsed(), `after ${ms} ms`).toBe(noted);
    }
  });
});
