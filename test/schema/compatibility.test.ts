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

it('serves every operation that the last release served', () => {
  const changelog = textOf('CHANGELOG.md');
  expect(unannounced(textOf('docs/released.graphql'), textOf('schema.graphql'), changelog)).toEqual([]);
});
