import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Change, ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';

/*
 * The base is a file, docs/released.graphql, and no tag or merge base: an archive or a shallow clone has the
 * file too, and what was merged but never released may still change. `npm version` writes it.
 */

const root = resolve(import.meta.dirname, '../..');
const textOf = (path: string) => readFileSync(resolve(root, path), 'utf8');

/** Clients have to expect new values of these enums: docs/upgrades.md. */
const growingEnums = ['ServiceLevel'];

/** Changes that the library calls dangerous, and that every client has to expect. */
function isExpected({ type, path, criticality }: Change): boolean {
  if (criticality.level !== CriticalityLevel.Dangerous) return false;
  if (type === ChangeType.EnumValueAdded) return growingEnums.includes(path?.split('.')[0] ?? '');
  // A required one is breaking.
  return type === ChangeType.FieldArgumentAdded;
}

/** The section of the changelog in which a breaking change is announced. */
function breakingIn(changelog: string): string {
  const [, unreleased = ''] = /^## Unreleased\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(changelog) ?? [];
  return /^### Breaking\n(.*?)(?=^### |$(?![\s\S]))/ms.exec(unreleased)?.[1] ?? '';
}

/** Changes that can break an operation or its client, and that the changelog does not announce. */
async function unannounced(released: string, current: string, changelog: string): Promise<string[]> {
  const announced = breakingIn(changelog);
  const changes = await diff(buildSchema(released), buildSchema(current));
  return changes
    .filter((change) => change.criticality.level !== CriticalityLevel.NonBreaking && !isExpected(change))
    .filter(({ path = '' }) => !announced.includes(`\`${path}\``))
    .map(({ path, message }) => `${message}: name \`${path}\` in CHANGELOG.md, Unreleased, Breaking`);
}

const released = `type Query { site(id: ID!): Site } type Site { id: ID! city: String level: ServiceLevel kind: Kind }
  enum ServiceLevel { PRIORITY UNRECOGNIZED } enum Kind { HOME }`;
const announcing = (text: string) => `# Changelog\n\n## Unreleased\n\n${text}\n\n## 0.1.0\n\n- Older.\n`;

it.each<[string, string, string, string[]]>([
  ['a field that is removed', ' city: String', '', ['Site.city']],
  ['a new argument that is required', 'site(id: ID!)', 'site(id: ID!, at: Int!)', ['Query.site.at']],
  ['a new value of an enum', 'HOME', 'HOME OFFICE', ['Kind.OFFICE']],
  ['a new service level', 'PRIORITY', 'PRIORITY PLATINUM', []],
  ['a new argument that is optional', 'site(id: ID!)', 'site(id: ID!, at: Int)', []],
])('reports %s, unless it is announced', async (_, from, to, reported) => {
  const current = released.replace(from, to);
  const faults = await unannounced(
    released,
    current,
    announcing('### Added\n\n- `Site.city` `Kind.OFFICE`.'),
  );
  expect(faults).toEqual(reported.map((path) => expect.stringContaining(`\`${path}\``)));
  const named = reported.map((path) => `- \`${path}\` changed.`).join('\n');
  expect(await unannounced(released, current, announcing(`### Breaking\n\n${named}`))).toEqual([]);
});

it('serves every operation that the last release served', async () => {
  const changelog = textOf('CHANGELOG.md');
  expect(await unannounced(textOf('docs/released.graphql'), textOf('schema.graphql'), changelog)).toEqual([]);
});
