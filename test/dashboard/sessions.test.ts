import { expect, it } from 'vitest';
import { createSessions } from '../../examples/dashboard/server/sessions.ts';

const secret = 's'.repeat(32);

it('keeps a session however many others begin', () => {
  const sessions = createSessions();
  const first = sessions.create('key-1');
  for (let count = 0; count < 10_200; count += 1) sessions.create('key-2');
  expect(sessions.keyOf(first)).toBe('key-1');
});

it('accepts the cookies of processes with its secret, and no others', () => {
  const cookie = createSessions({ secret }).create('key-1');
  expect(createSessions({ secret }).keyOf(cookie)).toBe('key-1');
  expect(createSessions().keyOf(cookie)).toBeUndefined();
});

it('hides the key, and rejects a cookie with any other character or length', () => {
  const sessions = createSessions({ secret });
  const cookie = sessions.create('key-1');
  expect(sessions.create('key-1')).not.toBe(cookie);
  expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain('key-1');
  for (let at = 0; at < cookie.length; at += 1) {
    const other = cookie[at] === 'A' ? 'Q' : 'A';
    expect(sessions.keyOf(cookie.slice(0, at) + other + cookie.slice(at + 1))).toBeUndefined();
    expect(sessions.keyOf(cookie.slice(0, at))).toBeUndefined();
  }
});

it('ends a session that has expired', () => {
  const sessions = createSessions({ lifetimeMs: 0 });
  expect(sessions.keyOf(sessions.create('key-1'))).toBeUndefined();
});
