import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import { expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { root, textOf } from './support/files.ts';

/*
 * An expression whose time grows with the square of a text, or faster, lets whoever writes the text stop the
 * process or the page.
 */

/** Expressions over texts that nobody else writes, with the place of each and who writes the text. */
const exceptions = [
  ['src/config/core.ts', String.raw`/\/v1(\/(health|site|conversation)(\/.*)?)?\/*$/i`, 'a setting'],
  ['src/rest/transport.ts', String.raw`/\/+$/`, 'a setting'],
  ['reference/config.ts', String.raw`/\/+$/`, 'a setting'],
].map(([file, expression]) => `${file} ${expression}`);

interface Expression {
  file: string;
  source: string;
  flags: string;
}

/** The regular expressions that a file has as literals. */
function expressionsOf(file: string): Expression[] {
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex) found.push({ file, source: regex.pattern, flags: regex.flags });
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(textOf(file), { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

const expressions = ['src', 'reference', 'graphiql'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => expressionsOf(`${folder}/${name}`)),
);

const isLinear = ({ source, flags }: Pick<Expression, 'source' | 'flags'>) =>
  analyse({ source, flags }).reports.length === 0;

it.each([/^(?:[\s,]|#.*)*$/, /(\w+)\s*=\s*require/, /^\s*\*?\s*gql$/, /(a*)*b/])(
  'finds that %s is not linear',
  ({ source, flags }) => {
    expect(isLinear({ source, flags })).toBe(false);
  },
);

it('has expressions that take time in proportion to a text of others', () => {
  expect(expressions.length).toBeGreaterThan(50);
  const slow = expressions
    .filter((expression) => !isLinear(expression))
    .map(({ file, source, flags }) => `${file} /${source}/${flags}`);
  expect(slow.filter((expression) => !exceptions.includes(expression))).toEqual([]);
});
