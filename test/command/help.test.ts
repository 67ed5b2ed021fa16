import { expect, it } from 'vitest';
import { allSections, defaultOf, helpFor } from '../../src/command/help.ts';
import { commands, settings } from '../../src/features.ts';

const help = helpFor(undefined, commands, settings);
const oneLine = (text: string) => `${text} `.replace(/\s+/g, ' ');

it('lists every setting with its default, on one screen', () => {
  const declared = Object.values(allSections(settings)).flatMap((section) => Object.entries(section));
  expect(new Set(declared.map(([name]) => name)).size).toBe(declared.length);
  for (const [name, type] of declared) {
    expect(type.description?.length, name).toBeGreaterThan(10);
    expect(oneLine(help)).toContain(` ${name}${defaultOf(type) === '' ? '' : `=${defaultOf(type)}`} `);
  }
  expect(help.split('\n').length).toBeLessThan(50);
});

it.each(commands)('has the options of one command, and no setting: $name', (command) => {
  const text = helpFor(command, commands, settings);
  const listed = [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, option]) => option);
  expect([...listed].sort()).toEqual([...Object.keys(command.options), 'help', 'version'].sort());
  expect(text).not.toContain('UPSTREAM_URL');
  expect(help).toContain(`portico ${command.name} `);
});
