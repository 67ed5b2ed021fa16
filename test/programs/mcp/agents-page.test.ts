import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { demoConversations } from '../../../reference/data/demo-ids.ts';
import { root, textOf } from '../../support/files.ts';
import { apiKey } from '../../support/gateway.ts';
import { makeFolder, writeManifest } from '../../support/manifest.ts';
import { startProcess } from '../../support/process.ts';
import { startAgent } from './agent.ts';

const run = promisify(execFile);
const page = textOf('docs/agents.md');
const blocksOf = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
const [setup = ''] = blocksOf('sh');

/** The set-up of the page in a folder, with the port of the gateway replaced in a text. */
async function setUp() {
  const cwd = await makeFolder();
  await symlink(join(root, 'examples'), join(cwd, 'examples'));
  const [manifest = '', start = ''] = setup.trim().split('\n');
  await run('sh', ['-c', manifest], { cwd });
  const documents = join(cwd, 'documents.json');
  expect(start).toBe('TRUSTED_DOCUMENTS=documents.json npm start');
  const gateway = await startProcess('main.ts', { PORT: '0', TRUSTED_DOCUMENTS: documents });
  const [, url = ''] = await gateway.printed(/ready at (\S+)\n/);
  return { cwd, url, adapted: (text: string) => text.replace('http://127.0.0.1:4000/graphql', url) };
}

it('has a configuration with which a client reads what is open at a site', async () => {
  const { cwd, url, adapted } = await setUp();
  const { command, args, env } = JSON.parse(adapted(blocksOf('json stdio')[0] ?? '')).mcpServers.portico;
  expect([command, ...args.slice(0, 2)]).toEqual(['npx', '--no-install', 'portico']);
  const [gateway, , documents] = args.slice(args.indexOf('--gateway') + 1);
  expect(gateway).toBe(url);
  const agent = await startAgent({ gateway, documents, key: env.PORTICO_API_KEY, cwd });
  expect((await agent.tools()).map(({ name }) => name)).toHaveLength(4);
  const results = [
    await agent.call('ReadSite', { site: 'SITE-1001' }),
    await agent.call('ReadContacts', { site: 'SITE-1001' }),
    await agent.call('CompareSites', { sites: ['SITE-1001', 'SITE-1002'] }),
    await agent.call('ReadConversation', { conversation: demoConversations.main, last: 2 }),
  ];
  expect(results.map(({ json }) => json.errors)).toEqual([undefined, undefined, undefined, undefined]);
  expect(results.map(({ json }) => json.data)).toMatchObject([
    {
      site: {
        id: 'SITE-1001',
        projects: expect.arrayContaining([expect.objectContaining({ stage: 'Estimate' })]),
      },
    },
    { site: { clients: expect.any(Array) } },
    { sites: [{ id: 'SITE-1001' }, { id: 'SITE-1002' }] },
    { conversationContext: { messages: [expect.any(Object), expect.any(Object)] } },
  ]);
});

it('shows the tool of the operation before it', async () => {
  const { path: documents } = await writeManifest({ one: blocksOf('graphql')[0] });
  const gateway = 'http://127.0.0.1:9/graphql';
  const { tools } = await startAgent({ gateway, documents, key: apiKey });
  expect(await tools()).toEqual([JSON.parse(blocksOf('json tool')[0] ?? '')]);
});
