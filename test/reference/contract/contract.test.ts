import { afterAll, beforeAll, describe, it } from 'vitest';
import { conversationRules } from './conversations.ts';
import { documentedRules } from './documented.ts';
import { edgeRules } from './edge.ts';
import { findImplementations, type Started } from './implementations.ts';
import { keyRules } from './keys.ts';
import type { Api, Rule, Rules } from './rule.ts';
import { siteRules } from './sites.ts';

const rules: Rules = { ...documentedRules, ...siteRules, ...conversationRules, ...keyRules, ...edgeRules };

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
        if (rule.needs && !has(started.api, rule.needs)) return skip(`the API has no ${rule.needs}`);
        await check(title, rule, started.api);
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
  return { site: api.siteId !== '', conversation: api.conversationId !== '', demo: api.demo !== null }[need];
}
