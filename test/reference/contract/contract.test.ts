import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationRules } from './conversations.ts';
import { edgeRules } from './edge.ts';
import { findImplementations, type Started } from './implementations.ts';
import { keyRules } from './keys.ts';
import type { Api, Rule } from './rule.ts';
import { siteRules } from './sites.ts';

const rules = [...siteRules, ...conversationRules, ...keyRules, ...edgeRules];

for (const { name, start } of findImplementations()) {
  describe(name, () => {
    let started: Started | undefined;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started?.close());

    for (const rule of rules) {
      it(`${rule.id} ${rule.level} ${rule.title}`, async ({ skip }) => {
        if (!started) throw new Error('the implementation did not start');
        if (rule.needs && !has(started.api, rule.needs)) skip(`the API has no ${rule.needs}`);
        await check(rule, started.api);
      });
    }
  });
}

/** A live API has its own conventions: there, a SHOULD that does not hold is a warning. */
async function check(rule: Rule, api: Api): Promise<void> {
  if (api.demo || rule.level === 'MUST') return rule.run(api);
  await rule
    .run(api)
    .catch((reason) => console.warn(`${rule.id} does not hold: ${rule.title}\n${reason.message}`));
}

function has(api: Api, need: NonNullable<Rule['needs']>): boolean {
  return { site: api.siteId !== '', conversation: api.conversationId !== '', demo: api.demo !== null }[need];
}

describe('the rules', () => {
  it('have unique ids', () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  it('are listed in the README', () => {
    const page = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z-]+-\d\d)` \| (MUST|SHOULD) +\| (.+?) *\|$/gm)];
    expect(rows.map(([, id, level, title]) => ({ id, level, title }))).toEqual(
      rules.map(({ id, level, title }) => ({ id, level, title })),
    );
  });
});
