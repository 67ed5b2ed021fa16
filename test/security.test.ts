import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

it('names in docs/security.md tests that are there, for every protection', () => {
  const page = readFileSync(resolve(root, 'docs/security.md'), 'utf8');
  const section = page.slice(page.indexOf('## Protection'), page.indexOf('## Out of scope'));
  const promises = [...section.matchAll(/^\| (.+?) \| (.*?) \| (.+) \|$/gm)].slice(1);
  expect(promises.length).toBeGreaterThan(10);
  for (const [, promise, , shown = ''] of promises) {
    const tests = [...shown.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(tests, promise).not.toEqual([]);
    expect(tests.filter((path) => !existsSync(resolve(root, path)))).toEqual([]);
  }
});
