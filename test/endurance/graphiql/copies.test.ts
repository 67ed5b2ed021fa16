import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { result, run, startPage, tabsOf, type, withChromium } from '../../support/browser.ts';
import { tracesOf } from '../../support/canary.ts';

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

/** Returns the text of the clipboard after a choice of “Share”. */
async function copyAs(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.getByText(`${name} copied, without the key.`).waitFor();
  const text = await page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  return text;
}

withChromium('opens a link as the one tab, and beside those of this browser tab', async () => {
  const search = {
    query: 'query Linked($id: ID!) { site(id: $id) { id } }',
    variables: '{"id": "SITE-1001"}',
  };
  const { page, origin, errors } = await startPage({ ...clipboard, search });
  expect(await tabsOf(page).allInnerTexts()).toEqual(['Linked']);
  await run(page);
  await expect.poll(() => result(page)).toContain('SITE-1001');
  const link = await copyAs(page, 'Link');
  expect(link).toBe(`${origin}/graphql?${new URLSearchParams(search)}`);
  await type(page, 'operation', 'query Edited { site(id: "SITE-1001") { city } }');
  await expect.poll(() => page.evaluate('sessionStorage["graphiql:tabState"]')).toContain('Edited');
  await page.reload();
  await page.locator('.graphiql-query-editor').getByText('Edited').waitFor();
  expect(await tabsOf(page).allInnerTexts()).toEqual(['Edited']);
  await page.goto(link);
  await expect.poll(() => tabsOf(page).allInnerTexts()).toEqual(['Edited', 'Linked']);
  expect(errors).toEqual([]);
});

withChromium('puts the key into no link, history entry, storage or copy', async () => {
  const canary = 'canary-key-of-hand-over-5512';
  const { page, operations } = await startPage(clipboard);
  /** The key field keeps its key in the tab's storage; GraphiQL keeps there what is in the editors. */
  const expectNoKey = async ({ inEditor = false } = {}) => {
    const outside = await page.evaluate<string>(
      'JSON.stringify([location.href, history.state, localStorage])',
    );
    const { 'portico:api-key': _, ...inTab } =
      await page.evaluate<Record<string, string>>('({ ...sessionStorage })');
    const texts = outside + (inEditor ? '' : JSON.stringify(inTab));
    for (const trace of tracesOf(canary)) expect(texts).not.toContain(trace);
  };
  await page.getByLabel('API key', { exact: true }).fill(canary);
  // In the headers too, with which an operation is executed.
  await type(page, 'headers', `{ "x-api-key": "${canary}-2" }`);
  const clean = 'query Clean { site(id: "SITE-1001") { city } }';
  await type(page, 'operation', clean);
  await page.getByRole('button', { name: /Execute query/ }).click();
  await expect.poll(() => operations.at(-1)?.key).toBe(`${canary}-2`);
  await expect.poll(() => page.locator('.portico-outcome').innerText()).toContain('403');
  await expect.poll(() => page.evaluate('sessionStorage["graphiql:queries"]')).toContain('Clean');
  await expectNoKey();
  for (const name of ['Link', 'cURL', 'fetch']) expect(await copyAs(page, name)).not.toContain(canary);

  // A text that has a key in it stays in this browser tab, whether it is that of the field or of the headers.
  for (const key of [canary, `${canary}-2`]) {
    await type(page, 'operation', `query Secret { site(id: "${key}") { city } }`);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: 'Link' }).click();
    await page.getByText('Not copied: the operation contains the key.').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expectNoKey({ inEditor: true });
  }
});
