import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { programPath } from '../../support/process.ts';
import { namesIn, planIn, writeFiles } from './plan-in.ts';

const page = 'query Page($id: ID!) { site(id: $id) { city } }';

/** Plans one file; its name is left out of the faults. */
async function planFile(name: string, text: string) {
  const { lines, faults } = await planIn(await writeFiles({ [name]: text }), [name]);
  return { names: namesIn(lines), faults: faults.map((fault) => fault.replace(`${name}:`, '')) };
}

it('reads a document on standard input', () => {
  const input = `${page} mutation Wrong { a }`;
  const { status, stderr } = spawnSync(process.execPath, [programPath('main.ts'), 'plan', '-'], { input });
  expect([status, String(stderr)]).toEqual([
    1,
    expect.stringMatching(/^standard input:1:\d+: There is no mutation/),
  ]);
});

it.each([
  ['a schema file', 'page.graphqls', page],
  [
    'the second script of a Vue component',
    'page.vue',
    `<template>it's</template><script src="./a.ts" />\n<script setup lang="ts">const a: b = gql\`${page}\`;</script>`,
  ],
  ['a Vue component in JSX', 'page.vue', `<script lang="tsx">const a = <b>{gql\`${page}\`}</b>;</script>`],
  ['a Svelte component', 'page.svelte', `<script module>let a: A = graphql(\`${page}\`);</script><p>{a}</p>`],
  ['code with types of Flow', 'page.js', `// @flow\nconst c = (d: ?A): A => gql\`${page}\`;`],
  ['a tag of another name', 'page.ts', `import { gql as q } from '@apollo/client'; q\`${page}\`;`],
  ['a required tag', 'page.cjs', `const query = require('graphql-tag'); query\`${page}\`;`],
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
  ['after escape sequences', 'a.ts', 'gql`{ site(id: "SITE-1\\`\\$") { wrong } }`', '1:32'],
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
  ['a document that is commented out', 'a.graphql', '﻿\n# query A { a }\r\n,\t'],
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
  expect(await planned('src/**/*.md')).toEqual([
    'src/**/*.md: cannot be read: it matches no file with documents',
  ]);
  expect(await planned('src/*.json')).toEqual([expect.stringMatching(/^src\/data\.json: must hold/)]);
});
