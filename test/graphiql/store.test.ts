import { expect, it, onTestFinished, vi } from 'vitest';
import { storage } from '../../graphiql/storage.ts';
import { createSessionStore } from '../../graphiql/store.ts';

it('keeps a text for the next page of the browser tab', () => {
  createSessionStore('one', 'initial').set('changed');
  expect(createSessionStore('one', 'initial').get()).toBe('changed');
});

it('changes a text that a full storage cannot keep, and forgets the earlier one', () => {
  const store = createSessionStore('two', 'initial');
  store.set('an earlier key');
  const setItem = vi.spyOn(storage, 'setItem').mockImplementation(() => {
    throw new DOMException('The quota is exceeded.', 'QuotaExceededError');
  });
  onTestFinished(() => setItem.mockRestore());
  store.set('another key');
  expect(store.get()).toBe('another key');
  expect(createSessionStore('two', 'initial').get()).toBe('initial');
});
