import { expect, it } from 'vitest';
import { Aborter } from '../src/abort.ts';

it('tells all who listen, once, in the order in which they came', () => {
  const one = new Aborter();
  const heard: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => () => void heard.push(name));
  for (const listener of [first, second, third]) if (listener) one.addEventListener('abort', listener);
  one.abort(() => new Error('left'));
  one.abort(() => new Error('again'));
  expect(heard).toEqual(['first', 'second', 'third']);
  expect([one.aborted, one.reason.message]).toEqual([true, 'left']);
});

it('tells nobody who has stopped to listen', () => {
  const one = new Aborter();
  const heard: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => () => void heard.push(name));
  for (const listener of [first, second]) if (listener) one.addEventListener('abort', listener);
  if (first) one.removeEventListener('abort', first);
  if (third) one.addEventListener('abort', third);
  if (second) one.removeEventListener('abort', second);
  one.abort(() => new Error('left'));
  expect(heard).toEqual(['third']);
});

it('asks for its reason once, and only when somebody wants to know', () => {
  const one = new Aborter();
  let asked = 0;
  one.abort(() => {
    asked += 1;
    return new Error('left');
  });
  expect(asked).toBe(0);
  expect(one.reason).toBe(one.reason);
  expect(asked).toBe(1);
});
