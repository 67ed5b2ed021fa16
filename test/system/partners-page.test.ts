import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { settings } from '../../src/features.ts';
import { MAX_RESOURCES } from '../../src/operation/checks.ts';
import { documentBounds } from '../../src/operation/document.ts';
import { freshDatabasePath } from '../reference/support/database.ts';
import { issueLink, keyOn, press } from '../reference/support/keys.ts';
import { sendRequest, startFresh } from '../reference/support/server.ts';
import { startGateway } from '../support/gateway.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/partners.md'), 'utf8');
const blocksOf = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

it('leads from the one-time link to the first response', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const reference = await startFresh({ databaseUrl });
  const gateway = await startGateway(reference.url);
  const { target } = await issueLink(databaseUrl);
  const button = await sendRequest(reference, target);
  const key = keyOn(await press(reference, target)) ?? '';
  const used = await sendRequest(reference, target);
  for (const [{ body }, text] of [
    [button, 'Show the key'],
    [used, 'There is nothing to show here'],
  ] as const) {
    expect(body).toContain(text);
    expect(page).toContain(`“${text}”`);
  }

  const responses: unknown[] = [];
  for (const command of blocksOf('sh')) {
    const text = command.replace('https://portico.example.com/graphql', gateway.url);
    const env = { PATH: process.env.PATH, API_KEY: key };
    responses.push(JSON.parse((await promisify(execFile)('sh', ['-c', text], { env })).stdout));
  }
  expect(responses[0]).toEqual(JSON.parse(blocksOf('json')[0] ?? ''));
  expect(responses[1]).toMatchObject({ data: { conversationContext: { sites: expect.any(Array) } } });
});

const { config } = settings.configFromEnv({});

it.each([
  ['REST calls of one operation', config?.maxUpstreamCalls],
  ['ids in one list', config?.maxIds],
  ['depth of an operation', documentBounds.depth],
  ['bytes of a request body', config?.maxBodyBytes],
  ['sites and conversations that one operation names', MAX_RESOURCES],
  ['tokens of a document', documentBounds.tokens],
])('has the limit of %s', (limit, value = 0) => {
  expect(page).toContain(`| ${limit} | ${value.toLocaleString('en')} |`);
});
