import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { declared, sections } from '../../src/command/configuration.ts';
import { defaultOf, helpFrom, version } from '../../src/command/help.ts';

const root = resolve(import.meta.dirname, '../..');
const help = helpFrom(sections);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

it('lists every setting with its default and its description', () => {
  expect(sections.flatMap(({ common, advanced }) => Object.keys({ ...common, ...advanced }))).toEqual(
    Object.keys(declared),
  );
  for (const [name, type] of Object.entries(declared)) {
    const label = defaultOf(type) === '' ? name : `${name}=${defaultOf(type)}`;
    expect(type.description?.length, name).toBeGreaterThan(10);
    expect(oneLine(help)).toContain(` ${label} ${oneLine(type.description ?? '')}`);
  }
});

it('is at most a hundred columns wide, and begins with the usage', () => {
  expect(help).toMatch(/^Usage: portico /);
  expect(help.split('\n').filter((line) => line.length > 100 || /\s$/.test(line))).toEqual([]);
});

it('knows the version of the package', () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

it('is an executable of its package', () => {
  const { bin } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
  expect(bin).toEqual({ portico: 'dist/main.js' });
  const program = resolve(root, bin.portico);
  expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(statSync(program).mode & 0o111).toBe(0o111);
});
