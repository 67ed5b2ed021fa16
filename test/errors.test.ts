import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { errorCodes } from '../src/errors.ts';

it('explains in docs/errors.md every code that there is, and no other', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../docs/errors.md'), 'utf8');
  const explained = [...page.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code);
  expect(explained).toEqual([...errorCodes]);
});
