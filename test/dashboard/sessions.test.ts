import { expect, it } from 'vitest';
import { createSessions } from '../../examples/dashboard/server/sessions.ts';

it('ends the session that was idle longest when there are too many', () => {
  const sessions = createSessions({ max: 2 });
  const [first, second] = [sessions.create('key-1'), sessions.create('key-2')];
  sessions.keyOf(first);
  const third = sessions.create('key-3');
  expect([first, second, third].map((id) => sessions.keyOf(id))).toEqual(['key-1', undefined, 'key-3']);
});

it('ends a session that has expired', () => {
  const sessions = createSessions({ lifetimeMs: 0 });
  expect(sessions.keyOf(sessions.create('key-1'))).toBeUndefined();
});
