import { expect, it } from 'vitest';
import { isWithinCpuTime } from '../../support/slowness.ts';
import { namesIn, planIn, writeFiles } from './plan-in.ts';

const page = 'query Page($id: ID!) { site(id: $id) { city } }';

/** Plans one file; its name is left out of the faults. */
async function planFile(name: string, text: string) {
  const { lines, faults } = await planIn(await writeFiles({ [name]: text }), [name]);
  return { names: namesIn(lines), faults: faults.map((fault) => fault.replace(`${name}:`, '')) };
}

it.each([
  ['a file in capitals', 'PAGE.GRAPHQL', page],
  ['a schema file', 'page.graphqls', page],
  ['another ending', 'page.gql', page],
  [
    'a Vue component',
    'page.vue',
    `<template>it's</template>\n<script setup lang="ts">const a: string = gql\`${page}\`;</script>`,
  ],
  [
    'the second script of a Vue component',
    'page.vue',
    `<script src="./a.ts" />\n<script setup generic="T extends Record<string, A>">import a from 'a'; gql\`${page}\`;</script>`,
  ],
  ['a Vue component in JSX', 'page.vue', `<script lang="tsx">const a = <b>{gql\`${page}\`}</b>;</script>`],
  [
    'a Svelte component',
    'page.svelte',
    `<script module>export const a: A = graphql(\`${page}\`);</script>\n{#if a}<p>{a}</p>{/if}`,
  ],
  [
    'code with types of Flow',
    'page.js',
    `// @flow\ntype A = {| a: ?b |}; const c = (d: A): A => gql\`${page}\`;`,
  ],
  ['a file of declarations of Flow', 'page.js.flow', `export const a: A = gql\`${page}\`;`],
  [
    'a tag that is renamed in its import',
    'page.ts',
    `import Apollo, { gql as query } from '@apollo/client'; query\`${page}\`;`,
  ],
  ['a default import of another name', 'page.ts', `import query from 'graphql-tag'; query\`${page}\`;`],
  [
    'a required package of another name',
    'page.cjs',
    `const query = require('graphql-tag'); query\`${page}\`;`,
  ],
  ['a tag with arguments of types', 'page.ts', `gql<A, B>\`${page}\`;`],
  ['a constant type', 'page.ts', `graphql(\`${page}\` as const);`],
  ['a comment at its beginning', 'page.ts', `send(\`#graphql\n${page}\`);`],
  ['a comment before it', 'page.ts', `send(/* GraphQL */ \`${page}\`);`],
])('reads the documents of %s', async (_, name, text) => {
  const folder = await writeFiles({ [name]: text });
  for (const files of [[name], [''], [`**/*${name.slice(name.indexOf('.', 1))}`]]) {
    const { lines, faults } = await planIn(folder, files);
    expect(faults).toEqual([]);
    expect(namesIn(lines)).toEqual(['Page']);
  }
});

it.each([
  [
    'in a component',
    'a.vue',
    '<template>\n<a/></template>\r\n<script>\nconst a = gql`{\n  wrong }`</script>',
    '5:3',
  ],
  [
    'after an expression with braces and backticks',
    'a.ts',
    `gql\`{ \${f({ a: \`}\` })} \${b}\n wrong }\``,
    '2:2',
  ],
  ['after escape sequences', 'a.ts', 'gql`{ site(id: "\\u0053ITE-1 \\`\\\\"\\`") { wrong } }`', '1:41'],
  [
    'after a directive that is removed',
    'a.graphql',
    '{ site(id: "SITE-1") @_a @_b(c: {}) { d @client wrong } }',
    '1:49',
  ],
])('reports a fault %s at its place', async (_, name, text, place) => {
  const { faults } = await planFile(name, text);
  expect(faults).toEqual([expect.stringMatching(`^${place}: Cannot query field "wrong"`)]);
});

it.each([
  ['unfinished code without a document', 'a.tsx', 'const a =\n  ;'],
  [
    'data in a component',
    'a.svelte',
    '<svelte:head><script type="application/ld+json">{ "@context": "a" }</script></svelte:head>',
  ],
  ['a component that is commented out', 'a.vue', `<!-- <script>gql\`{ wrong }\`</script> -->`],
  ['an empty file', 'a.graphql', ''],
  ['a document that is commented out', 'a.graphql', '﻿\n# query A { a }\r\n,\t'],
  ['a document in code that is commented out', 'a.ts', 'gql`\n# query A { a }\n`'],
  ['a call of another API', 'a.ts', 'octokit.graphql(`{ viewer { login } }`); sql`{ a }`'],
])('finds neither a document nor a fault in %s', async (_, name, text) => {
  const folder = await writeFiles({ [name]: text, 'page.graphql': page });
  const { lines, faults } = await planIn(folder, [name, 'page.graphql']);
  expect(faults).toEqual([]);
  expect(namesIn(lines)).toEqual(['Page']);
});

it('reports code that may have a document, and cannot be parsed', async () => {
  expect(await planFile('a.ts', 'const a =\n  ; gql`{ a }`')).toEqual({
    names: [],
    faults: ['2:3: Unexpected token'],
  });
  const deep = `gql\`{ a }\`;${'['.repeat(50_000)}`;
  expect((await planFile('a.ts', deep)).faults).toEqual([expect.stringMatching(/^1:1: cannot be parsed: /)]);
});

it('names a file that cannot be parsed in time, and plans the others', async () => {
  const folder = await writeFiles({
    'nested.ts': `gql\`{ a }\`; ${'(a<b>('.repeat(30)}`,
    'words.ts': `gql\`${page}\`; // ${'a'.repeat(100_000)} = ${'require '.repeat(10_000)}`,
    'words.vue': `<script ${'<!-- '.repeat(10_000)}>${'<script'.repeat(10_000)}`,
  });
  const before = process.cpuUsage();
  const { lines, faults } = await planIn(folder, ['']);
  expect(faults).toEqual(['nested.ts:1:1: cannot be parsed within 5 s']);
  expect(namesIn(lines)).toEqual(['Page']);
  expect(isWithinCpuTime(process.cpuUsage(before).user / 1000, 9000)).toBe(true);
});

it('leaves out what is not written by hand, and reads a folder that is named', async () => {
  const folder = await writeFiles({
    'src/page.graphql': page,
    'src/data.json': '[]',
    'src/notes.md': 'none',
    '.git/page.graphql': page,
    'src/node_modules/a/page.graphql': page,
    'dist/deep/page.graphql': page.replace('Page', 'Built'),
  });
  const planned = async (...files: string[]) => {
    const { lines, faults } = await planIn(folder, files);
    return [...namesIn(lines), ...faults];
  };
  for (const files of [
    [''],
    ['**/*.graphql'],
    ['src', 'src/*', 'src/page.graphql'],
    ['src/**/*.{graphql,md}'],
  ])
    expect(await planned(...files)).toEqual(['Page']);
  for (const files of [['dist'], ['dist/deep'], ['dist/deep/page.graphql']])
    expect(await planned(...files)).toEqual(['Built']);
  expect(await planned('src/**/*.md')).toEqual(['src/**/*.md: matches no file with documents']);
  expect(await planned('src/*.json')).toEqual([expect.stringMatching(/^src\/data\.json: must hold/)]);
});
