import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CacheEntry } from '../../../src/features/cache/store.ts';
import { createEncryption } from '../../../src/features/redis/encryption.ts';
import { createCaller } from '../../../src/operation/caller.ts';
import { createDisconnect } from '../../support/client.ts';

const callerOf = (key: string) => createCaller(key, createDisconnect().signal, 10_000);
const path = '/v1/site/SITE-1?include=clients';

function entryOf(body: string): CacheEntry {
  return {
    body: Buffer.from(body),
    storedAtMs: 1_772_460_300_123.5,
    ttl: { freshMs: 1_000, staleMs: 2_000 },
  };
}

it('decrypts what was encrypted, whatever it is', () => {
  const encryption = createEncryption();
  const times = fc.double({ noNaN: true });
  const anything = fc.record({
    body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    storedAtMs: times,
    ttl: fc.record({ freshMs: times, staleMs: times }),
  });
  const caller = callerOf('key');
  fc.assert(
    fc.property(fc.string(), anything, (anyPath, entry) => {
      const name = encryption.nameOf(caller, anyPath);
      const decrypted = createEncryption().decrypt(caller, name, encryption.encrypt(caller, name, entry));
      expect(decrypted).toEqual(entry);
    }),
  );
});

it('gives a path of a key the same name in every process, and no other the same', () => {
  const [caller, again] = [callerOf('key-1'), callerOf('key-1')];
  expect(createEncryption().nameOf(again, path)).toBe(createEncryption().nameOf(caller, path));
  const encryption = createEncryption();
  const names = ['key-1', 'key-2', 'key-', 'KEY-1'].flatMap((key) =>
    [path, '/v1/site/SITE-1', '1/v1/site/SITE-1', ''].map((each) => encryption.nameOf(callerOf(key), each)),
  );
  expect(new Set(names).size).toBe(names.length);
});

it('decrypts nothing for another key', () => {
  const encryption = createEncryption();
  const [own, other] = [callerOf('key-1'), callerOf('key-2')];
  const name = encryption.nameOf(own, path);
  const encrypted = encryption.encrypt(own, name, entryOf('secret'));
  expect(encryption.decrypt(other, name, encrypted)).toBeUndefined();
  expect(encryption.decrypt(other, encryption.nameOf(other, path), encrypted)).toBeUndefined();
  expect(encryption.decrypt({ ...other, keyHash: own.keyHash }, name, encrypted)?.body.toString()).toBe(
    'secret',
  );
});

it('decrypts nothing under another name of the same key', () => {
  const encryption = createEncryption();
  const caller = callerOf('key');
  const encrypted = encryption.encrypt(caller, encryption.nameOf(caller, path), entryOf('secret'));
  expect(encryption.decrypt(caller, encryption.nameOf(caller, '/v1/site/SITE-2'), encrypted)).toBeUndefined();
});

it('decrypts nothing that has a bit changed, or is longer or shorter', () => {
  const encryption = createEncryption();
  const caller = callerOf('key');
  const name = encryption.nameOf(caller, path);
  const encrypted = encryption.encrypt(caller, name, entryOf('{"id":"SITE-1"}'));
  for (let bit = 0; bit < encrypted.length * 8; bit += 1) {
    const touched = Buffer.from(encrypted);
    touched[bit >> 3] = (touched[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(encryption.decrypt(caller, name, touched)).toBeUndefined();
  }
  for (let length = 0; length < encrypted.length; length += 1) {
    expect(encryption.decrypt(caller, name, encrypted.subarray(0, length))).toBeUndefined();
  }
  expect(encryption.decrypt(caller, name, Buffer.concat([encrypted, Buffer.from('x')]))).toBeUndefined();
  expect(encryption.decrypt(caller, name, encrypted)?.body.toString()).toBe('{"id":"SITE-1"}');
});

it('never encrypts twice alike, so that unchanged entries cannot be recognized', () => {
  const encryption = createEncryption();
  const caller = callerOf('key');
  const name = encryption.nameOf(caller, path);
  const encrypted = Array.from({ length: 100 }, () =>
    encryption.encrypt(caller, name, entryOf('same')).toString('hex'),
  );
  expect(new Set(encrypted.map((hex) => hex.slice(0, 24))).size).toBe(100);
  expect(new Set(encrypted.map((hex) => hex.slice(-8))).size).toBeGreaterThan(90);
});
