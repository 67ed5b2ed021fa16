import { expect, it } from 'vitest';
import { redact } from '../../src/observers/secrets.ts';

it('redacts a text that holds a secret, and no other', () => {
  const secrets = ['', 'c4a7e1b2c3d4e5f6', 'another-key'];
  expect(redact('before another-key, after', secrets)).toBe('[redacted]');
  expect(redact('before another key, after', secrets)).toBe('before another key, after');
});
