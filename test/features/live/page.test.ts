import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const page = read('docs/live.md');

it.each(readdirSync(resolve(root, 'examples/live')))('has examples/live/%s as it is', (name) => {
  expect(page).toContain(`\`\`\`ts\n${read(`examples/live/${name}`)}\`\`\``);
});
