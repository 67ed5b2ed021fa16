import { expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../reference/data/demo-ids.ts';
import { outcomeOf, runNode } from './support/process.ts';
import { startFresh } from './support/server.ts';

it('checks the contract of an API at CONTRACT_URL, without printing its key', async () => {
  const env = {
    NO_COLOR: '1',
    CONTRACT_URL: (await startFresh()).url,
    CONTRACT_API_KEY: demoKeys.acme,
    CONTRACT_SITE_ID: demoSites().main,
    CONTRACT_CONVERSATION_ID: demoConversations.main,
  };
  const suite = [
    '--project',
    'quick',
    'test/reference/contract',
    '-t',
    'the API at CONTRACT_URL',
    '--reporter',
    'default',
  ];
  const { code, output, errors } = await outcomeOf(
    runNode(env, 'node_modules/vitest/vitest.mjs', 'run', ...suite),
  );
  expect(code, output + errors).toBe(0);
  expect(Number(/Tests +(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(30);
  expect(output + errors).not.toContain('does not hold');
  expect(output + errors).not.toContain(demoKeys.acme);
});
