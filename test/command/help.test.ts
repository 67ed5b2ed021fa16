import { expect, it } from 'vitest';
import { declared, defaultOf, helpFor, sections, version } from '../../src/command/help.ts';
import { commands } from '../../src/features.ts';

const help = helpFor(undefined, commands);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

it('lists every setting with its default and its description', () => {
  expect(sections.flatMap(({ settings }) => Object.keys(settings))).toEqual(Object.keys(declared));
  for (const [name, type] of Object.entries(declared)) {
    const label = defaultOf(type) === '' ? name : `${name}=${defaultOf(type)}`;
    expect(type.description?.length, name).toBeGreaterThan(10);
    expect(oneLine(help)).toContain(` ${label} ${oneLine(type.description ?? '')}`);
  }
});

it.each([
  { name: '', text: help },
  ...commands.map((one) => ({ name: one.name, text: helpFor(one, commands) })),
])('is at most a hundred columns wide, and begins with the usage: $name', ({ name, text }) => {
  expect(text).toMatch(new RegExp(`^Usage: portico ${name}`));
  expect(text.split('\n').filter((line) => line.length > 100 || /\s$/.test(line))).toEqual([]);
});

it.each(commands)('has the options of one command, and no setting: $name', (command) => {
  const text = helpFor(command, commands);
  const listed = [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, option]) => option);
  expect([...listed].sort()).toEqual([...Object.keys(command.options), 'help', 'version'].sort());
  expect(text).not.toContain('UPSTREAM_URL');
  expect(help).toContain(`portico ${command.synopsis} `);
});

it('knows the version of the package', () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});
