import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Kept } from '../../src/upstream/cache.ts';
import { createSeal } from '../../src/upstream/cache-seal.ts';
import { createCaller } from '../../src/upstream/caller.ts';
import { startDeparture } from '../harness/client.ts';

const callerOf = (key: string) => createCaller(key, startDeparture().signal, 10_000);
const path = '/v1/site/SITE-1?include=clients';

function keptOf(body: string): Kept {
  return { body: Buffer.from(body), atMs: 1_772_460_300_123.5, life: { freshMs: 1_000, staleMs: 2_000 } };
}

it('gives back what was sealed, whatever it is', () => {
  const seal = createSeal();
  const times = fc.double({ noNaN: true });
  const anything = fc.record({
    body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    atMs: times,
    life: fc.record({ freshMs: times, staleMs: times }),
  });
  const caller = callerOf('key');
  fc.assert(
    fc.property(fc.string(), anything, (anyPath, kept) => {
      const name = seal.nameOf(caller, anyPath);
      const opened = createSeal().open(caller, name, seal.close(caller, name, kept));
      expect(opened).toEqual(kept);
    }),
  );
});

it('names the same path of the same key alike in every process, and no two others', () => {
  const [caller, again] = [callerOf('key-1'), callerOf('key-1')];
  expect(createSeal().nameOf(again, path)).toBe(createSeal().nameOf(caller, path));
  const seal = createSeal();
  const names = ['key-1', 'key-2', 'key-', 'KEY-1'].flatMap((key) =>
    [path, '/v1/site/SITE-1', '1/v1/site/SITE-1', ''].map((each) => seal.nameOf(callerOf(key), each)),
  );
  expect(new Set(names).size).toBe(names.length);
});

it('opens nothing for another key', () => {
  const seal = createSeal();
  const [own, other] = [callerOf('key-1'), callerOf('key-2')];
  const name = seal.nameOf(own, path);
  const sealed = seal.close(own, name, keptOf('secret'));
  expect(seal.open(other, name, sealed)).toBeUndefined();
  expect(seal.open(other, seal.nameOf(other, path), sealed)).toBeUndefined();
  expect(seal.open({ ...other, owner: own.owner }, name, sealed)?.body.toString()).toBe('secret');
});

it('opens nothing under another name of the same key', () => {
  const seal = createSeal();
  const caller = callerOf('key');
  const sealed = seal.close(caller, seal.nameOf(caller, path), keptOf('secret'));
  expect(seal.open(caller, seal.nameOf(caller, '/v1/site/SITE-2'), sealed)).toBeUndefined();
});

it('opens nothing of which a bit has been changed, or that is longer or shorter', () => {
  const seal = createSeal();
  const caller = callerOf('key');
  const name = seal.nameOf(caller, path);
  const sealed = seal.close(caller, name, keptOf('{"id":"SITE-1"}'));
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const touched = Buffer.from(sealed);
    touched[bit >> 3] = (touched[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(seal.open(caller, name, touched)).toBeUndefined();
  }
  for (let length = 0; length < sealed.length; length += 1) {
    expect(seal.open(caller, name, sealed.subarray(0, length))).toBeUndefined();
  }
  expect(seal.open(caller, name, Buffer.concat([sealed, Buffer.from('x')]))).toBeUndefined();
  expect(seal.open(caller, name, sealed)?.body.toString()).toBe('{"id":"SITE-1"}');
});

it('opens nothing that somebody else has written, and does not fail', () => {
  const seal = createSeal();
  const caller = callerOf('key');
  const name = seal.nameOf(caller, path);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(seal.open(caller, name, Buffer.from(bytes))).toBeUndefined();
    }),
  );
});

it('never seals twice alike, so that nobody sees what has not changed', () => {
  const seal = createSeal();
  const caller = callerOf('key');
  const name = seal.nameOf(caller, path);
  const sealed = Array.from({ length: 100 }, () => seal.close(caller, name, keptOf('same')).toString('hex'));
  expect(new Set(sealed.map((hex) => hex.slice(0, 24))).size).toBe(100);
  expect(new Set(sealed.map((hex) => hex.slice(-8))).size).toBeGreaterThan(90);
});

it('shows nothing of the key, its digest, the path or the data', () => {
  const seal = createSeal();
  const key = 'test-key-0123456789abcdef';
  const caller = callerOf(key);
  const name = seal.nameOf(caller, path);
  const shown = name + seal.close(caller, name, keptOf('{"id":"SITE-1"}')).toString('latin1');
  for (const secret of [key.slice(0, 9), caller.owner, 'SITE-1', '/v1/', 'clients']) {
    expect(shown).not.toContain(secret);
  }
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    expect(name).not.toContain(hash('sha256', key, encoding).slice(0, 9));
  }
});
