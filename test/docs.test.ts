import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import {
  buildSchema,
  type DefinitionNode,
  Kind,
  KnownFragmentNamesRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { demoKeys } from '../reference/data/demo-ids.ts';
import { isInstalled, root, textOf } from './support/files.ts';
import { startGateway } from './support/gateway.ts';
import { makeFolder } from './support/manifest.ts';
import { programPath } from './support/process.ts';
import { startReference } from './support/reference.ts';

/*
 * The one test of the pages: each link leads to a file, and each fenced block is what it says. A block is checked by its
 * language. With a name (```graphql operations.graphql) it is a file for the commands of its page; commands that a gateway
 * with demo data can answer are run, and the block right after them is compared with their output.
 */

const run = promisify(execFile);
const folders = ['.', '.github', 'docs', 'docs/decisions', 'bench', 'reference', 'examples/dashboard'];
const pages = folders
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');

interface Block {
  language: string;
  name: string | undefined;
  text: string;
  /** Whether nothing but a blank line is between it and the block before. */
  follows: boolean;
}

function blocksOf(page: string): Block[] {
  let end = -1;
  return [...textOf(page).matchAll(/^( *)```(\w*)(?: (\S+))?\n(.*?)^ *```\n/gms)].map((found) => {
    const [all, indent = '', language = '', name, text = ''] = found;
    const follows = found.index === end;
    end = found.index + all.length + 1;
    return { language, name, follows, text: text.replace(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** The anchors that GitHub makes of the headings of a page. */
const anchorsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(pages)('links in %s to files and sections that exist', (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, link = '']) => link);
  const isBroken = (link: string) => {
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? page : join(dirname(page), file);
    return !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  };
  expect(links.filter((link) => !/^\w+:/.test(link) && isBroken(link))).toEqual([]);
});

const schema = buildSchema(textOf('schema.graphql') + textOf('examples/dashboard/live.graphql'));
/** The fragments of an example may be in another file. */
const rules = specifiedRules.filter((rule) => rule !== KnownFragmentNamesRule);
const isOfOperation = ({ kind }: DefinitionNode) =>
  kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION;

/** Throws for a block that its language does not allow. */
const checks: Record<string, (block: Block) => unknown> = {
  json: ({ text }) => JSON.parse(text),
  yaml: ({ text }) => expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]),
  graphql({ text, name }) {
    const document = parse(text);
    // With a name it is a file of the page, whose schema may be another one.
    if (name === undefined && document.definitions.every(isOfOperation))
      expect(validate(schema, document, rules).map(({ message }) => message)).toEqual([]);
  },
  // Also the members of an object, as configurations have them.
  ts: ({ text }) =>
    transform(text, { loader: 'ts' }).catch(() => transform(`({ ${text} })`, { loader: 'ts' })),
  tsx: ({ text }) => transform(text, { loader: 'tsx' }),
  js: ({ text }) => transform(text),
  sh: ({ text }) => run('sh', ['-n', '-c', text]),
};

it.each(pages)('has only valid code in %s', async (page) => {
  for (const block of blocksOf(page))
    await expect((async () => checks[block.language]?.(block))(), block.text).resolves.not.toThrow();
});

/** Whether a gateway with the demo, or the program alone, can run a block. */
const isRunnable = ({ language, text }: Block) =>
  language === 'sh' &&
  text
    .trim()
    .replace(/\\\n/g, '')
    .split('\n')
    .every((line) =>
      /^(curl (?!.*(-N|…)).*(127\.0\.0\.1:4000|portico\.example\.com)\/graphql|npx --no-install portico (plan|print-schema) (?!.*[*!]))|^ /.test(
        line,
      ),
    );

/** The output without what differs from run to run: durations, quotas, the order of lines and header fields. */
function masked(output: string): string[] {
  const text = output
    .replace(/\d+\.\d+|(?<=Ms": ?)\d+|(?<=[rt]=|(?:remaining|resetSeconds)": ?)\d+/g, 'N')
    .replace(/\r/g, '');
  try {
    return [JSON.stringify(JSON.parse(text.replace(/(?<=: ?)N\b/g, '0')))];
  } catch {
    return text
      .trim()
      .split(/\n|[:,] /)
      .sort();
  }
}

/** By which pages read some responses. */
const hasJq = isInstalled('jq');

const withCommands = pages.filter((page) => blocksOf(page).some(isRunnable));

it.each(withCommands)(
  'has commands in %s that work as pasted, and print what the page shows',
  async (page) => {
    const cwd = await makeFolder();
    const gateway = await startGateway((await startReference()).url);
    const adapted = (text: string) =>
      text
        .replaceAll(/https?:\/\/(127\.0\.0\.1:4000|portico\.example\.com)\/graphql/g, gateway.url)
        .replaceAll('npx --no-install portico', `node ${programPath('main.ts')}`);
    const blocks = blocksOf(page);
    for (const { name, text } of blocks)
      if (name?.includes('.')) {
        await mkdir(dirname(join(cwd, name)), { recursive: true });
        await writeFile(join(cwd, name), text);
      }
    for (const [index, block] of blocks.entries()) {
      if (!isRunnable(block) || (!hasJq && block.text.includes('jq '))) continue;
      const env = { PATH: process.env.PATH, API_KEY: demoKeys.acme };
      const { stdout } = await run('sh', ['-c', adapted(block.text)], { cwd, env });
      const next = blocks[index + 1];
      const shown = next?.follows ? masked(next.text) : [];
      if (shown.length > 0 && /^(json|text)$/.test(next?.language ?? ''))
        expect(masked(stdout), block.text).toEqual(shown);
      // Without a language it is an excerpt.
      else if (shown.length > 0 && next?.language === '')
        expect(masked(stdout).join()).toContain(shown.join());
      else if (stdout.startsWith('{')) expect(JSON.parse(stdout), block.text).not.toHaveProperty('errors');
    }
  },
);
