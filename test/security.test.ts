import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

const textOf = (path: string) => readFileSync(resolve(root, path), 'utf8');

it('names in docs/security.md tests that are there, for every protection', () => {
  const page = textOf('docs/security.md');
  const section = page.slice(page.indexOf('## Protection'), page.indexOf('## Out of scope'));
  const promises = [...section.matchAll(/^\| (.+?) \| (.*?) \| (.+) \|$/gm)].slice(1);
  expect(promises.length).toBeGreaterThan(10);
  for (const [, promise, , shown = ''] of promises) {
    const tests = [...shown.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(tests, promise).not.toEqual([]);
    expect(tests.filter((path) => !existsSync(resolve(root, path)))).toEqual([]);
  }
});

/** The rows of the table of constants: the setting, the name and file of its constant, and the value. */
function constants(): { setting: string; name: string; file: string; value: string }[] {
  const page = textOf('docs/security.md');
  const section = page.slice(page.indexOf('## Settings that became constants'));
  const rows = section.matchAll(/^\| `(\w+)` \| `(\w+)` in `([\w./-]+)` \| ([\d,.]+) \|$/gm);
  return [...rows].map(([, setting = '', name = '', file = '', value = '']) => ({
    setting,
    name,
    file,
    value,
  }));
}

it('lists the constants with the values that they have in src', () => {
  expect(constants().length).toBeGreaterThan(10);
  for (const { name, file, value } of constants()) {
    const [, found = ''] =
      new RegExp(`\\b${name}(?: =|:) ([\\d_.]+)[;,]$`, 'm').exec(textOf(`src/${file}`)) ?? [];
    expect(found.replaceAll('_', ''), name).toBe(value.replaceAll(',', ''));
  }
});

/** The part of a page from one heading to the next of its level. */
function sectionOf(path: string, heading: string): string {
  const text = textOf(path);
  const start = text.indexOf(`${heading}\n`);
  expect(start, `${heading} in ${path}`).toBeGreaterThan(-1);
  const [level = ''] = heading.split(' ');
  const end = text.indexOf(`\n${level} `, start + heading.length);
  return text.slice(start, end === -1 ? undefined : end);
}

/** Names of settings, constants and metrics in a text. */
const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/`([A-Z][A-Z\d]*_[A-Z_\d]+|[A-Z]{4,}|portico_[a-z_]+)\b/g)].map(
      ([, name = '']) => name,
    ),
  );

/** Every word of the sources. */
const sourceWords = new Set(
  ['src', 'reference', 'examples/dashboard/server', 'deploy', 'test/support'].flatMap((folder) =>
    readdirSync(resolve(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ parentPath, name }) => textOf(`${parentPath}/${name}`).match(/\w+/g) ?? []),
  ),
);

it('names in docs/security.md no constant, setting or metric that there is not', () => {
  const former = constants().map(({ setting }) => setting);
  const names = [...namesIn(textOf('docs/security.md'))].filter((name) => !former.includes(name));
  expect(names.filter((name) => !sourceWords.has(name))).toEqual([]);
});

/** The sections of the changelog, the newest first: each a version, and its text. */
const sections = [...textOf('CHANGELOG.md').matchAll(/^## (\S+).*\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(
  ([, version = '', text = '']) => ({ version, text }),
);

/** The entries below a heading of a section. */
const entriesOf = (text: string, heading: string) =>
  new RegExp(`^### ${heading}\\n([\\s\\S]*?)(?=^### |$(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? '';

it('names in the changelog, but for what went, no constant, setting or metric that there is not', () => {
  const [{ text } = { text: '' }] = sections;
  const present = text.replace(entriesOf(text, 'Breaking'), '').replace(entriesOf(text, 'Removed'), '');
  expect([...namesIn(present)].filter((name) => !sourceWords.has(name))).toEqual([]);
});

it('lists no change twice in a version of the changelog', () => {
  const beginnings = sections.flatMap(({ version, text }) =>
    [...text.matchAll(/^- [\s\S]{1,80}/gm)].map(
      ([entry]) => `${version} ${entry.replace(/\s+/g, ' ').slice(0, 60)}`,
    ),
  );
  expect(beginnings.length).toBeGreaterThan(100);
  expect(beginnings.filter((entry, n) => beginnings.indexOf(entry) !== n)).toEqual([]);
});

it('lists as constants in docs/security.md only settings of which the changelog says so', () => {
  const entry = sections.flatMap(
    ({ text }) => text.match(/^- These settings are constants now.*?(?=^- )/ms) ?? [],
  );
  expect(entry).toHaveLength(1);
  const named = namesIn(entry.join());
  expect(constants().filter(({ setting }) => !named.has(setting))).toEqual([]);
});

it('names in docs/upgrades.md all that is breaking in the newest version that breaks something', () => {
  const index = sections.findIndex(({ text }) => entriesOf(text, 'Breaking') !== '');
  const breaking = entriesOf(sections[index]?.text ?? '', 'Breaking');
  const [from = ''] = /^\d+\.\d+/.exec(sections[index + 1]?.version ?? '') ?? [];
  const page = sectionOf('docs/upgrades.md', `## From ${from}`);
  expect(namesIn(breaking).size).toBeGreaterThan(5);
  const removed = namesIn(entriesOf(sections[0]?.text ?? '', 'Removed'));
  const missing = [...namesIn(breaking)].filter((name) => !namesIn(page).has(name) && !removed.has(name));
  expect(missing).toEqual([]);
  const options = breaking.match(/(?<=`)--[a-z-]+(?=`)/g) ?? [];
  expect(options.filter((option) => !page.includes(option))).toEqual([]);
});

it('does not speak of a configuration file, because there is none', () => {
  expect(textOf('docs/upgrades.md')).not.toMatch(/configuration\s+file/);
});
