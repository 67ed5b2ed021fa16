import { expect, it } from 'vitest';
import { redact, revealsSecret } from '../../src/observers/secrets.ts';
import { isWithinCpuTime } from '../support/slowness.ts';

const canary = 'c4a7e1b2c3d4e5f60718293a4b5c6d7e';

it.each([
  ['in capitals', canary.toUpperCase()],
  ['percent-encoded', canary.replaceAll('e', '%65').replaceAll('4', '%2534')],
  ['in part', `x${canary.slice(11, 20)}x`],
])('finds a key in a text %s', (_, text) => {
  expect(revealsSecret(`a ${text} b`, canary)).toBe(true);
});

it('compares a long text with a long key in little time', () => {
  const text = 'aaaaaaaab'.repeat(900);
  const key = 'a'.repeat(16_000);
  const { user, system } = process.cpuUsage();
  expect(revealsSecret(text, key)).toBe(false);
  const cost = process.cpuUsage({ user, system });
  // The product of the lengths would cost over 100 ms.
  expect(isWithinCpuTime((cost.user + cost.system) / 1000, 30)).toBe(true);
  expect(revealsSecret(text, `${key}b`)).toBe(true);
});

it('redacts a text that holds a secret, and no other', () => {
  const secrets = ['', 'c4a7e1b2c3d4e5f6', 'another-key', 'brief'];
  for (const text of ['an another-key', 'a Brief']) expect(redact(text, secrets)).toBe('[redacted]');
  expect(redact('before another key, after', secrets)).toBe('before another key, after');
});
