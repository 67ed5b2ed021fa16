import { buildSchema, DangerousChangeType, findBreakingChanges, findDangerousChanges } from 'graphql';
import { expect, it } from 'vitest';
import { textOf } from '../support/files.ts';

/*
 * The base is a file, docs/released.graphql, and no tag or merge base: an archive or a shallow clone has the
 * file too, and what was merged but never released may still change. `npm version` writes it.
 */

/** Clients have to expect new values of these enums: docs/upgrades.md. */
const growingEnums = ['ServiceLevel'];

/** The coordinate of a changed field, argument or enum value, or the type. */
function pathOf(description: string): string {
  const [, value, type] = /^(\w+) was (?:added to|removed from) enum type (\w+)/.exec(description) ?? [];
  return value ? `${type}.${value}` : (/\w+\.\w+/.exec(description)?.[0] ?? description.split(' ')[0] ?? '');
}

/** The entries of the changelog that announce a breaking change. */
function breakingIn(changelog: string): string {
  const [, unreleased = ''] = /^## \[Unreleased\]\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(changelog) ?? [];
  return unreleased
    .split(/^(?=- |### )/m)
    .filter((entry) => entry.startsWith('- **Breaking:**'))
    .join('');
}

/** Changes that can break an operation or its client, and that the changelog does not announce. */
function unannounced(released: string, current: string, changelog: string): string[] {
  const announced = breakingIn(changelog);
  const schemas = [buildSchema(released), buildSchema(current)] as const;
  // A client has to expect new optional arguments, and new values of some enums.
  const dangerous = findDangerousChanges(...schemas).filter(
    ({ type, description }) =>
      type !== DangerousChangeType.OPTIONAL_ARG_ADDED &&
      !growingEnums.some((name) => description.endsWith(`to enum type ${name}.`)),
  );
  return [...findBreakingChanges(...schemas), ...dangerous]
    .map(({ description }) => ({ description, path: pathOf(description) }))
    .filter(({ path }) => !announced.includes(`\`${path}\``))
    .map(
      ({ description, path }) =>
        `${description} Name \`${path}\` in CHANGELOG.md, Unreleased, by an entry “- **Breaking:** …”`,
    );
}

const released = `type Query { site(id: ID!): Site } type Site { id: ID! city: String level: ServiceLevel kind: Kind }
  enum ServiceLevel { PRIORITY UNRECOGNIZED } enum Kind { HOME }`;
const announcing = (text: string) =>
  `# Changelog\n\n## [Unreleased]\n\n### Changed\n\n${text}\n\n## 0.1.0\n\n- Older.\n`;

it.each<[string, string, string, string[]]>([
  ['a field that is removed', ' city: String', '', ['Site.city']],
  ['a new argument that is required', 'site(id: ID!)', 'site(id: ID!, at: Int!)', ['Query.site']],
  ['a new value of an enum', 'HOME', 'HOME OFFICE', ['Kind.OFFICE']],
  ['a new service level', 'PRIORITY', 'PRIORITY PLATINUM', []],
  ['a new argument that is optional', 'site(id: ID!)', 'site(id: ID!, at: Int)', []],
])('reports %s, unless it is announced', (_, from, to, reported) => {
  const current = released.replace(from, to);
  const faults = unannounced(released, current, announcing('- `Site.city` `Kind.OFFICE`.'));
  expect(faults).toEqual(reported.map((path) => expect.stringContaining(`\`${path}\``)));
  const named = reported.map((path) => `- **Breaking:** \`${path}\` changed.`).join('\n');
  expect(unannounced(released, current, announcing(named))).toEqual([]);
});

it('serves every operation that the last release served', () => {
  const changelog = textOf('CHANGELOG.md');
  expect(unannounced(textOf('docs/released.graphql'), textOf('schema.graphql'), changelog)).toEqual([]);
});
