import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { declared } from '../../src/command/configuration.ts';
import { groups, helpFrom, readVersion } from '../../src/command/help.ts';

const root = resolve(import.meta.dirname, '../..');
const help = helpFrom(declared);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

it('has every setting, with its default, in its own words', () => {
  const example = readFileSync(resolve(root, '.env.example'), 'utf8');
  const settings = [...example.matchAll(/^# (.+)\n([A-Z_]+)=(.*)$/gm)];
  expect(settings.length).toBe(Object.keys(declared).length);
  for (const [, meaning = '', name = '', fallback = ''] of settings) {
    const label = fallback === '' ? name : `${name}=${fallback}`;
    expect(oneLine(help)).toContain(` ${label} ${oneLine(meaning)}`);
  }
});

it('is no wider than a hundred columns, and begins with how to call it', () => {
  expect(help).toMatch(/^Usage: portico /);
  expect(help.split('\n').filter((line) => line.length > 100 || /\s$/.test(line))).toEqual([]);
});

it('has a setting below each heading', () => {
  expect([...groups.keys()].filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
  for (const heading of groups.values()) expect(help).toContain(`\n\n${heading}\n  `);
});

it('knows its version', () => {
  expect(readVersion()).toMatch(/^\d+\.\d+\.\d+/);
});

it('is the command of its package, which a system can run as it is built', () => {
  const { bin, scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
  expect(bin).toEqual({ portico: 'dist/main.js' });
  expect(scripts.postbuild).toContain("chmodSync('dist/main.js', 0o755)");
  expect(readFileSync(resolve(root, 'src/main.ts'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
