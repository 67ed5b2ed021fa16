import { expect, it } from 'vitest';
import { revealsSecret } from '../../src/telemetry/secrets.ts';
import { measureSlowness } from '../support/slowness.ts';

it('compares a long text with a long key in little time', () => {
  const text = 'aaaaaaaab'.repeat(900);
  const key = 'a'.repeat(16_000);
  const { user, system } = process.cpuUsage();
  expect(revealsSecret(text, key)).toBe(false);
  const cost = process.cpuUsage({ user, system });
  // The product of the lengths would cost over 100 ms.
  expect((cost.user + cost.system) / 1000).toBeLessThan(30 * measureSlowness());
  expect(revealsSecret(text, `${key}b`)).toBe(true);
});
