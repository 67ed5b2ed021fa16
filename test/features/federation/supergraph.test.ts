import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root, textOf } from '../../support/files.ts';
import { startGateway } from '../../support/gateway.ts';
import { makeFolder } from '../../support/manifest.ts';

const page = textOf('docs/federation.md');
const textsOf = (kind: string) =>
  [...page.matchAll(/^```(\w+)(?: \S+)?\n(.*?)^```$/gms)].flatMap(([, found, text = '']) =>
    found === kind ? [text] : [],
  );

async function run(cwd: string, commands: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], { cwd });
  return stdout;
}

it('is composed with another subgraph as docs/federation.md prints it', async () => {
  const gateway = await startGateway('http://127.0.0.1:9', { FEDERATION: 'on' });
  const adapted = (text: string) => text.replaceAll('http://127.0.0.1:4000/graphql', gateway.url);
  const folder = await makeFolder();
  const [, visits = ''] = textsOf('graphql');
  const [, compose = ''] = textsOf('js');
  await writeFile(join(folder, 'visits.graphql'), visits);
  await writeFile(join(folder, 'compose.mjs'), adapted(compose));
  const [start, install = '', commands = ''] = textsOf('sh');
  expect(start).toBe('FEDERATION=on npm start\n');
  // In place of the installation: the packages as the repository has them.
  for (const name of ['graphql', '@theguild/federation-composition']) {
    expect(install).toContain(` ${name}`);
    const place = join(folder, 'node_modules', name);
    await mkdir(resolve(place, '..'), { recursive: true });
    await symlink(join(root, 'node_modules', name), place);
  }
  await run(folder, adapted(commands));

  const supergraph = readFileSync(join(folder, 'supergraph.graphql'), 'utf8');
  expect(supergraph).toContain(`PORTICO @join__graph(name: "portico", url: "${gateway.url}")`);
  expect(supergraph).toMatch(/^type Site\s+@join__type\(graph: PORTICO, key: "id"\)/m);
  expect(page).toContain('npx --no-install portico print-schema --federation >portico.graphql\n');
  expect(await run(root, 'node dist/main.js print-schema --federation')).toBe(
    readFileSync(join(folder, 'portico.graphql'), 'utf8'),
  );
});
