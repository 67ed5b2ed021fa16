import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { createSealedStore } from '../../../src/features/redis/sealed-store.ts';
import { apiKeyOf } from '../../../src/rest/caller.ts';
import { tracesOf } from '../../support/canary.ts';

/** A store of one origin in `values`, which stand for those of Redis. */
function open(values = new Map<string, Buffer>(), origin = 'https://api.test/') {
  const client = {
    mgetBuffer: async (...names: string[]) => names.map((name) => values.get(name) ?? null),
    set: async (name: string, value: Buffer) => void values.set(name, value),
    del: async (...names: string[]) => names.map((name) => values.delete(name)),
  };
  const run = async <T>(command: (redis: Redis) => Promise<T>) => command(client as unknown as Redis);
  return { values, store: createSealedStore({ run, close() {} }, origin) };
}

const path = '/v1/site/SITE-1?include=clients';
const entryOf = (body: string) => ({
  body: Buffer.from(body),
  storedAtMs: 1_772_460_300_123.5,
  ttl: { freshMs: 1_000, staleMs: 2_000 },
});

it('returns what another process has stored for the same key and path, whatever it is', async () => {
  const paths = fc.uniqueArray(fc.string(), { maxLength: 3 });
  const bodies = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.string(), paths, bodies, async (key, stored, body) => {
      const { values, store } = open();
      const entry = { ...entryOf(''), body };
      for (const one of stored) store.set(apiKeyOf(key), one, entry);
      const found = await open(values).store.get(apiKeyOf(key), [...stored, 'not stored']);
      expect(found).toEqual([...stored.map(() => entry), undefined]);
    }),
  );
});

it('returns nothing to another key, for another path, or before another REST API', async () => {
  const { values, store } = open();
  const own = apiKeyOf('key-1');
  store.set(own, path, entryOf('secret'));
  for (const key of ['key-2', 'key-', 'KEY-1', 'key-11', '']) {
    expect(await store.get(apiKeyOf(key), [path])).toEqual([undefined]);
  }
  expect(await store.get(own, ['/v1/site/SITE-1', `1${path}`, ''])).toEqual(Array(3).fill(undefined));
  expect(await open(values, 'https://other.test/').store.get(own, [path])).toEqual([undefined]);
  // Whoever can write moves a value to the name of another key or path.
  store.set(own, '/v1/site/SITE-2', entryOf('other'));
  const [[first, moved] = ['', Buffer.of()], [second] = ['']] = [...values];
  values.set(second, moved);
  expect(await store.get(own, ['/v1/site/SITE-2'])).toEqual([undefined]);
  values.delete(first);
  store.delete(own, ['/v1/site/SITE-2']);
  expect(values.size).toBe(0);
});

it('returns nothing that has a bit changed, or is longer or shorter', async () => {
  const { values, store } = open();
  const key = apiKeyOf('key');
  store.set(key, path, entryOf('{"id":"SITE-1"}'));
  const [[name, value] = ['', Buffer.of()]] = values;
  const bits = Array.from({ length: value.length * 8 }, (_, bit) => {
    const touched = Buffer.from(value);
    touched[bit >> 3] = (touched[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return touched;
  });
  const shorter = Array.from({ length: value.length }, (_, length) => value.subarray(0, length));
  for (const changed of [...bits, ...shorter, Buffer.concat([value, Buffer.from('x')])]) {
    values.set(name, changed);
    expect(await store.get(key, [path])).toEqual([undefined]);
  }
  values.set(name, value);
  expect(await store.get(key, [path])).toEqual([entryOf('{"id":"SITE-1"}')]);
});

it('reveals neither keys nor paths nor data, and never seals twice alike', () => {
  const { values, store } = open();
  const sealed = new Set<string>();
  for (let n = 0; n < 100; n += 1) {
    store.set(apiKeyOf('a-key-0123456789'), path, entryOf('the city of this site'));
    const [[name, value] = ['', Buffer.of()]] = values;
    sealed.add(value.toString('hex', 0, 12)).add(value.toString('hex', 12, 20));
    const keyHash = createHash('sha256').update('a-key-0123456789').digest('hex');
    const digests = [keyHash, Buffer.from(keyHash, 'hex').toString('base64url').slice(0, 12)];
    const secrets = [...tracesOf('a-key-0123456789'), ...digests, 'SITE-1', '/v1/', 'the city'];
    for (const secret of secrets) expect(`${name} ${value.toString('latin1')}`).not.toContain(secret);
  }
  expect(values.size).toBe(1);
  expect(sealed.size).toBe(200);
});

it('stores no body over 1 MiB', () => {
  const { values, store } = open();
  store.set(apiKeyOf('key'), path, entryOf('x'.repeat(1_048_577)));
  expect(values.size).toBe(0);
});
