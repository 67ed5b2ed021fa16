import { readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { root, textOf } from './support/files.ts';

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

/** By paths from the root of the repository. */
const files = ['src', 'reference'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);

/** Static imports and exports, type-only ones marked, and dynamic imports. */
function importsOf(file: string): Import[] {
  const text = textOf(file);
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:([^;'"]*?)\sfrom\s+)?'([^']+)';/gm);
  const found = [...statements].map(([, type, names = '', target = '']) => ({
    target,
    typeOnly: type !== undefined || /^\{(\s*type\s+[^,}]+,?)+\s*\}$/.test(names.trim()),
  }));
  const dynamic = [...text.matchAll(/import\('([^']+)'\)/g)].map(([, target = '']) => ({
    target,
    typeOnly: false,
  }));
  return [...found, ...dynamic].map((found) => ({ file, ...found }));
}

/** `reference`, or the folder below `src`, or the file there itself: `gateway`. */
function moduleOf(file: string): string {
  const [folder = '', below = ''] = file.split('/');
  return folder === 'src' ? below.replace(/\.ts$/, '') : folder;
}

const imports = files.flatMap(importsOf);
const own = imports
  .filter(({ target }) => target.startsWith('.'))
  .map(({ file, target, typeOnly }) => ({
    file,
    typeOnly,
    target: relative(root, resolve(root, dirname(file), target)),
  }));

/** Own modules that a module of the core may import, and those of which it may import types alone. */
const allowed: Record<string, { values?: string[]; types?: string[] }> = {
  main: { values: ['command'] },
  features: { values: ['command', 'config', 'operation'], types: ['composition', 'rest'] },
  composition: { types: ['config', 'http', 'observers', 'operation', 'rest', 'schema'] },
  gateway: { values: ['http', 'observers', 'operation', 'rest', 'schema'], types: ['composition', 'config'] },
  command: {
    values: ['config', 'features', 'gateway', 'http', 'observers', 'reference', 'schema'],
    types: ['composition'],
  },
  config: { values: ['reference'] },
  http: { values: ['observers', 'rest', 'schema'], types: ['config', 'operation'] },
  operation: { values: ['rest', 'schema'], types: ['composition', 'config'] },
  schema: { values: ['rest'] },
  rest: { types: ['observers'] },
  observers: { values: ['operation'], types: ['rest', 'schema'] },
  reference: {},
};

/** The folder of a program or a feature, `src/programs/plan`; undefined for the core. */
function partOf(file: string): string | undefined {
  return /^src\/(?:programs|features)\/[^/]+/.exec(file)?.[0];
}

it('has a row for every module of the core', () => {
  const modules = files.filter((file) => !partOf(file)).map(moduleOf);
  expect(Object.keys(allowed).sort()).toEqual([...new Set(modules)].sort());
});

it('imports a program or a feature in the composition alone, by its door', () => {
  const trespasses = own.filter(({ file, target }) => {
    const part = partOf(target);
    if (part === undefined || part === partOf(file)) return false;
    const mayImport = file === 'src/features.ts' || part.startsWith('src/features/');
    return !mayImport || target !== `${part}/index.ts` || (file !== 'src/features.ts' && !partOf(file));
  });
  expect(trespasses).toEqual([]);
});

it('imports into the page types, and one file that needs nothing else', () => {
  const page = readdirSync(join(root, 'graphiql'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => importsOf(`graphiql/${name}`))
    .map(({ file, target, typeOnly }) => ({
      typeOnly,
      target: relative(root, resolve(root, dirname(file), target)),
    }))
    .filter(({ target }) => /^(src|reference)\//.test(target));
  const shared = 'src/features/explain/cost.ts';
  const types = page.filter(({ target }) => target !== shared);
  expect(new Set(types.map(({ target }) => target))).toEqual(new Set(['src/features/graphiql/page.ts']));
  expect(types.filter(({ typeOnly }) => !typeOnly)).toEqual([]);
  expect(importsOf(shared)).toEqual([]);
});

it('imports between modules only what the table allows', () => {
  const trespasses = own.filter(({ file, target, typeOnly }) => {
    const [from, to] = [moduleOf(file), moduleOf(target)];
    if (partOf(file) || partOf(target)) return false;
    const row = allowed[from];
    return from !== to && !row?.values?.includes(to) && !(typeOnly && row?.types?.includes(to));
  });
  expect(own.length).toBeGreaterThan(50);
  expect(trespasses).toEqual([]);
});

it('allows no import that does not exist', () => {
  const done = new Set(own.map(({ file, target }) => `${moduleOf(file)} imports ${moduleOf(target)}`));
  const unused = Object.entries(allowed).flatMap(([module, { values = [], types = [] }]) =>
    [...values, ...types].map((to) => `${module} imports ${to}`).filter((allowed) => !done.has(allowed)),
  );
  expect(unused).toEqual([]);
});

it('has no cycle of imports, of types included', () => {
  const targets = new Map(files.map((file) => [file, [] as string[]]));
  for (const { file, target } of own) targets.get(file)?.push(target);
  const finished = new Set<string>();
  const visit = (file: string, road: string[]): void => {
    if (finished.has(file)) return;
    expect(road, 'a cycle').not.toContain(file);
    for (const next of targets.get(file) ?? []) visit(next, [...road, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
});

it('imports each library in its modules only', () => {
  const homes: Record<string, string[]> = {
    rest: ['undici'],
    schema: ['@pothos/core', 'dataloader'],
    features: ['@graphql-yoga/plugin-defer-stream', '@opentelemetry/', 'ioredis', 'pino', 'prom-client'],
    programs: ['@modelcontextprotocol/'],
    reference: ['kysely', 'libsql', 'pg'],
  };
  const strays = imports.filter(({ file, target }) => {
    const home = Object.entries(homes).find(([, names]) => names.some((name) => target.startsWith(name)));
    return home !== undefined && home[0] !== moduleOf(file);
  });
  expect(strays).toEqual([]);
});

it('reads the environment in the two configurations alone', () => {
  const readers = files.filter((file) => /process\.env\b/.test(textOf(file)));
  expect(readers.sort()).toEqual(['reference/config.ts', 'src/config/settings.ts']);
});
