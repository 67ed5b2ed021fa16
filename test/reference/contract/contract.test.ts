import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationRules } from './conversations.ts';
import { edgeRules } from './edge.ts';
import { findImplementations, type Started } from './implementations.ts';
import { keyRules } from './keys.ts';
import type { Api, Rule, Rules } from './rule.ts';
import { siteRules } from './sites.ts';

const rules: Rules = { ...siteRules, ...conversationRules, ...keyRules, ...edgeRules };

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
        if (rule.needs && !has(started.api, rule.needs)) skip(`the API has no ${rule.needs}`);
        await check(title, rule, started.api);
      });
    }
  });
}

/** A live API has its own conventions: there, a SHOULD that does not hold is a warning. */
async function check(title: string, rule: Rule, api: Api): Promise<void> {
  if (api.demo || title.includes(' MUST ')) return rule(api);
  await rule(api).catch((reason) => console.warn(`${title}: does not hold\n${reason.message}`));
}

function has(api: Api, need: NonNullable<Rule['needs']>): boolean {
  return { site: api.siteId !== '', conversation: api.conversationId !== '', demo: api.demo !== null }[need];
}

it('lists the rules in the README, by unique ids', () => {
  const page = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z-]+-\d\d)` \| (MUST|SHOULD) +\| (.+?) *\|$/gm)];
  expect(rows.map(([, ...cells]) => cells.join(' '))).toEqual(Object.keys(rules));
  expect(new Set(rows.map(([, id]) => id)).size).toBe(rows.length);
});
