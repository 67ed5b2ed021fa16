import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  buildSchema,
  concatAST,
  Kind,
  LoneAnonymousOperationRule,
  parse as parseDocument,
  specifiedRules,
  validate,
} from 'graphql';
import { glob } from 'tinyglobby';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDocuments } from '../../../src/programs/plan/documents.ts';

/*
 * `graphql.config.yml`, which editors read. The extension itself is not run: the file is read here as the
 * documentation of graphql-config describes it.
 */

interface Project {
  schema: string;
  documents: string | string[];
  exclude?: string;
}

const root = resolve(import.meta.dirname, '../../..');
const { projects } = parse(await readFile(join(root, 'graphql.config.yml'), 'utf8')) as {
  projects: Record<string, Project>;
};

/** An editor shows all operations of a project at once; each is sent by itself. */
const rules = specifiedRules.filter((rule) => rule !== LoneAnonymousOperationRule);

const globsOf = ({ documents, exclude }: Project) => [
  ...[documents].flat().map((pattern) => join(root, pattern)),
  ...(exclude === undefined ? [] : [`!${join(root, exclude)}`]),
];

it.each(Object.entries(projects))(
  'has operations that are valid for their schema: %s',
  async (_, project) => {
    const schema = buildSchema(await readFile(join(root, project.schema), 'utf8'));
    const { sources, faults } = await readDocuments(globsOf(project));
    const document = concatAST(sources.map(({ text }) => parseDocument(text)));
    expect(document.definitions.map(({ kind }) => kind)).toContain(Kind.OPERATION_DEFINITION);
    expect([...faults, ...validate(schema, document, rules)]).toEqual([]);
  },
);

it('has a project for each file with operations', async () => {
  const inProjects = await glob(Object.values(projects).flatMap(globsOf), { absolute: true });
  const all = `${root}/examples/**/*.{ts,tsx,graphql,gql}`;
  const others = ['generated/**', 'node_modules/**', 'schema.graphql'].map(
    (name) => `!${root}/examples/**/${name}`,
  );
  const { sources } = await readDocuments([all, ...others]);
  const withOperations = new Set(sources.map(({ placeAt }) => placeAt(0).file));
  expect(withOperations.size).toBeGreaterThan(10);
  expect([...withOperations].filter((file) => !inProjects.includes(file))).toEqual([]);
});
