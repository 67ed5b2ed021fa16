import { expect } from 'vitest';
import { demoConversations } from '../../reference/data/demo-ids.ts';
import { panelOf, result, run, startPage, violationsOn, withChromium } from '../support/browser.ts';

/* The long run has more tests of the page: test/endurance/graphiql. */

withChromium('shows data on the first click on Run, from this origin only', async () => {
  const { page, outside, errors, paths } = await startPage();
  await run(page);
  await expect.poll(() => result(page)).toContain('"site": { "id": "SITE-1001"');
  expect(paths).toEqual(['/v1/site/SITE-1001?include=clients']);
  expect(await page.title()).toBe('Portico GraphiQL');
  expect(await violationsOn(page)).toEqual([]);
  expect({ outside, errors }).toEqual({ outside: [], errors: [] });
});

const conversation = {
  query: 'query C($id: ID!) {\n  conversationContext(id: $id) {\n    subject\n    \n  }\n}',
  variables: JSON.stringify({ id: demoConversations.main }),
};

withChromium('plans the operation while it is typed, without a REST call', async () => {
  const { page, operations, paths, errors, outside } = await startPage({ search: conversation });
  const { plan, plannedCalls } = panelOf(page);
  await expect.poll(() => plan.innerText()).toMatch(/1\s+call\s+of at most 50/);
  await page.locator('.graphiql-query-editor .view-line').nth(3).click();
  await page.keyboard.type('sites { site { city');
  await expect.poll(() => plan.innerText()).toContain('1 + sites');
  // Suggestions, which are Monaco's own, may open after the first Escape.
  const violations = async () => {
    await page.keyboard.press('Escape');
    return violationsOn(page);
  };
  await expect.poll(violations).toEqual([]);
  await page.keyboard.type(' clients { name');
  await expect.poll(() => plannedCalls.allInnerTexts()).toContain('/v1/site/{id}?include=clients');
  // The editor has the cost beside the fields that cause it.
  const editor = page.locator('.graphiql-query-editor .view-lines');
  await expect.poll(async () => (await editor.innerText()).replace(/\s/g, ' ')).toContain('1 call × sites');
  expect(new Set(operations.map(({ explain }) => explain))).toEqual(new Set(['plan']));
  expect({ paths, errors, outside }).toEqual({ paths: [], errors: [], outside: [] });
});
