import { afterAll, beforeAll, describe, it } from 'vitest';
import { hasPostgres, makePostgres } from '../../support/postgres.ts';
import { type Api, type Rules, startApi } from './api.ts';
import { documentedRules } from './documented.ts';
import { edgeRules } from './edge.ts';
import { keyRules } from './keys.ts';

const rules: Rules = { ...documentedRules, ...keyRules, ...edgeRules };

const engines = [
  { name: 'SQLite', isMissing: false, make: async () => ({ url: ':memory:', drop: async () => {} }) },
  { name: 'Postgres', isMissing: !hasPostgres, make: makePostgres },
];

describe.each(engines.filter(({ isMissing }) => !isMissing))('the reference on $name', ({ make }) => {
  const closers: (() => Promise<void>)[] = [];
  let api: Api;
  beforeAll(async () => {
    const { url, drop } = await make();
    api = await startApi(url, closers);
    closers.push(drop);
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });

  it.each(Object.entries(rules))('%s', async (_, rule) => void (await rule(api)));
});
