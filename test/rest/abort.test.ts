import { expect, it } from 'vitest';
import { Aborter } from '../../src/rest/abort.ts';

it('calls all listeners, once, in the order in which they were added', () => {
  const one = new Aborter();
  const called: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => () => void called.push(name));
  for (const listener of [first, second, third]) if (listener) one.addEventListener('abort', listener);
  one.abort(() => new Error('left'));
  one.abort(() => new Error('again'));
  expect(called).toEqual(['first', 'second', 'third']);
  expect([one.aborted, one.reason.message]).toEqual([true, 'left']);
});

it('does not call a listener that was removed', () => {
  const one = new Aborter();
  const called: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => () => void called.push(name));
  for (const listener of [first, second, third]) if (listener) one.addEventListener('abort', listener);
  for (const listener of [first, second]) if (listener) one.removeEventListener('abort', listener);
  one.abort(() => new Error('left'));
  expect(called).toEqual(['third']);
});

it('creates its reason once, when it is first read', () => {
  const one = new Aborter();
  let calls = 0;
  one.abort(() => {
    calls += 1;
    return new Error('left');
  });
  expect(calls).toBe(0);
  expect(one.reason).toBe(one.reason);
  expect(calls).toBe(1);
});
