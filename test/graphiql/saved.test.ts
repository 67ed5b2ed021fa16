import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { deleteOperation, savedOperations, saveOperation } from '../../graphiql/saved/saved.ts';

/** The storage of a browser, which keeps as many characters. */
function stubStorage(maxLength = 5_000_000) {
  const texts = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem(name: string, text: string) {
      if (text.length > maxLength) throw new DOMException('The quota is exceeded.', 'QuotaExceededError');
      texts.set(name, text);
    },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return texts;
}

const query = '{ a }';
const names = () => savedOperations.get().map(({ name }) => name);

beforeEach(() => savedOperations.set([]));

it('replaces an operation of the same name, and keeps what another page has saved meanwhile', () => {
  const texts = stubStorage();
  saveOperation({ name: 'One', query });
  const [key = ''] = texts.keys();
  texts.set(key, JSON.stringify([...savedOperations.get(), { name: 'Two', query }, { name: 3 }, null]));
  saveOperation({ name: 'One', query, variables: '{}' });
  expect(savedOperations.get()).toEqual([
    { name: 'Two', query },
    { name: 'One', query, variables: '{}' },
  ]);
  deleteOperation('Two');
  expect(names()).toEqual(['One']);
});

it('says what to do with more operations than it keeps, or than the browser does', () => {
  stubStorage(10_000);
  for (let n = 0; n < 100; n += 1) expect(saveOperation({ name: `${n}`, query })).toBeUndefined();
  expect(saveOperation({ name: '100', query })).toBe('There are 100 saved operations: delete one.');
  expect(saveOperation({ name: '99', query: 'a'.repeat(10_000) })).toBe(
    'This browser keeps nothing more for this page.',
  );
  expect(names()).toHaveLength(100);
});
