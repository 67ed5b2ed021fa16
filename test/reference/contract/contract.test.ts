import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../src/programs/check-upstream/api.ts';
import { checkRule } from '../../../src/programs/check-upstream/check.ts';
import {
  type Rule as CommandRule,
  rules as commandRules,
} from '../../../src/programs/check-upstream/rules.ts';
import { testConfig } from '../../support/gateway.ts';
import { conversationRules } from './conversations.ts';
import { edgeRules } from './edge.ts';
import { findImplementations, type Started } from './implementations.ts';
import { keyRules } from './keys.ts';
import type { Api, Rule, Rules } from './rule.ts';
import { siteRules } from './sites.ts';

/** What `portico check-upstream` checks too; the rules of the suite alone need more, or the gateway ignores them. */
const shared: Rules = Object.fromEntries(
  commandRules.map((rule) => {
    const { id, level, title, section } = rule;
    return [`${id} ${level} ${title} (${section})`, (api) => expectHolds(rule, api)];
  }),
);
const rules: Rules = { ...shared, ...siteRules, ...conversationRules, ...keyRules, ...edgeRules };

/** With all samples of the rule. Resolves to why a live API does not show what it is about. */
async function expectHolds(
  rule: CommandRule,
  { url, key, siteId, conversationId, demo, expectFit }: Api,
): Promise<string | undefined> {
  const config = testConfig({ UPSTREAM_URL: url, ALLOW_INSECURE_UPSTREAM: 'on' });
  const api = createApi({
    url: new URL(url),
    key,
    config,
    ids: { site: siteId, conversation: conversationId },
  });
  const get: typeof api.get = async (target, fields) => {
    const response = await api.get(target, fields);
    expectFit?.(target, response);
    return response;
  };
  const [checked] = await checkRule(rule, { ...api, get }).finally(api.close);
  const isUnseen = !checked || checked.state === 'cannot be seen';
  if (!demo && isUnseen) return checked?.found ?? 'the API does not show it';
  expect(checked).toEqual({ ...checked, state: 'holds', found: '' });
  return undefined;
}

for (const { name, start } of findImplementations()) {
  describe(name, () => {
    let started: Started | undefined;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started?.close());

    for (const [title, rule] of Object.entries(rules)) {
      it(title, async ({ skip }) => {
        if (!started) throw new Error('the implementation did not start');
        const run = !rule.needs || has(started.api, rule.needs) ? rule : shared[title];
        if (!run) return skip(`the API has no ${rule.needs}`);
        const unseen = await check(title, run, started.api);
        if (typeof unseen === 'string') skip(unseen);
      });
    }
  });
}

/** A live API has its own conventions: there, a SHOULD that does not hold is a warning. */
async function check(title: string, rule: Rule, api: Api): Promise<unknown> {
  if (api.demo || title.includes(' MUST ')) return rule(api);
  return rule(api).catch((reason) => console.warn(`${title}: does not hold\n${reason.message}`));
}

function has(api: Api, need: NonNullable<Rule['needs']>): boolean {
  return { conversation: api.conversationId !== '', demo: api.demo !== null }[need];
}

it('lists the rules in the README, by unique ids', () => {
  const page = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z-]+-\d\d)` \| (MUST|SHOULD) +\| (.+?) *\|$/gm)];
  expect(rows.map(([, ...cells]) => cells.join(' '))).toEqual(Object.keys(rules));
  expect(new Set(rows.map(([, id]) => id)).size).toBe(rows.length);
});
