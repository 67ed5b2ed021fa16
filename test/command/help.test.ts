import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { declared } from '../../src/command/configuration.ts';
import { groups, helpFrom, readVersion } from '../../src/command/help.ts';

const help = helpFrom(declared);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

it('has every setting, with its default, in its own words', () => {
  const example = readFileSync(resolve(import.meta.dirname, '../../.env.example'), 'utf8');
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
