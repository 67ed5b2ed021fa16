import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { openTab, panelOf, result, run, startPage, tabsOf, withChromium } from '../../support/browser.ts';
import { bareSite, sendJson, startUpstream } from '../../support/upstream.ts';

withChromium('opens tabs with a site, a conversation, a dashboard, @defer and a live query', async () => {
  const { page, errors, paths } = await startPage();
  const names = ['Site', 'ConversationView', 'Dashboard', 'Deferred', 'Live'];
  expect(await tabsOf(page).allInnerTexts()).toEqual(names);
  for (const [name, expected] of [
    ['ConversationView', '"conversationContext": { "subject"'],
    ['Dashboard', '"primaryProject": { "name"'],
    ['Deferred', '"clients": [ { "name"'],
  ] as const) {
    await openTab(page, name);
    expect(await page.locator('[aria-current=true]').allInnerTexts()).toEqual([name]);
    await run(page);
    await expect.poll(() => result(page)).toContain(expected);
  }
  expect(paths.slice(-2)).toEqual(['/v1/site/SITE-1001', '/v1/site/SITE-1001?include=clients']);
  // Both calls are in the panel, though each came with a part of its own.
  await expect.poll(() => panelOf(page).madeCalls.count()).toBe(2);
  if (process.env.SCREENSHOT) {
    await openTab(page, 'Dashboard');
    await expect.poll(() => panelOf(page).plan.innerText()).toContain('2 + sites');
    await run(page);
    await expect.poll(() => panelOf(page).madeCalls.count()).toBe(4);
    await panelOf(page).plan.click();
    await page.screenshot({ path: process.env.SCREENSHOT });
  }
  expect(errors).toEqual([]);
});

withChromium('masks the key, and keeps it for this browser tab only', async () => {
  const { page, operations } = await startPage();
  const field = page.getByLabel('API key', { exact: true });
  expect(await field.getAttribute('type')).toBe('password');
  await field.fill(demoKeys.globex);
  await page.reload();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  expect(await field.inputValue()).toBe(demoKeys.globex);
  await run(page);
  await expect.poll(() => operations.at(-1)?.key).toBe(demoKeys.globex);
  expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
});

withChromium('says at the field what is wrong with a key, and offers the demo key', async () => {
  const { page } = await startPage();
  const field = page.getByLabel('API key', { exact: true });
  const problem = page.locator('#api-key-problem');
  await field.fill('wrong-key-000000000000');
  await run(page);
  await expect.poll(() => problem.innerText()).toContain('The REST API rejected this key');
  // It is told once: the codes of other errors are explained above the response.
  expect(await page.getByText('What it means').count()).toBe(0);
  await page.getByRole('button', { name: 'Use the demo key' }).click();
  expect(await field.inputValue()).toBe(demoKeys.acme);
  expect(await problem.innerText()).toBe('');
  await field.fill('no spaces allowed');
  expect(await problem.innerText()).toContain('A key has no spaces');
});

withChromium('asks for a key at its field, and reads the schema and plans with it', async () => {
  const { page, operations } = await startPage({ apiKey: '', env: { INTROSPECTION: 'key' } });
  expect(await page.getByRole('button', { name: 'Use the demo key' }).count()).toBe(0);
  await run(page);
  await expect
    .poll(() => page.locator('#api-key-problem').innerText())
    .toBe('Every operation needs a key. Enter one here.');
  expect(await page.evaluate('document.activeElement.id')).toBe('api-key');
  expect([operations, await result(page)]).toEqual([[], '']);
  await page.keyboard.type(demoKeys.acme);
  await expect.poll(() => panelOf(page).plan.innerText()).toContain('1 call');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByText('All Schema Types').waitFor();
});

withChromium('shows nothing of one tab in another', async () => {
  let held: ServerResponse | undefined;
  const upstream = await startUpstream((req, res) => {
    if (req.url?.includes('SITE-1001')) held = res;
    else sendJson(res, bareSite('SITE-1002'));
  });
  const { page } = await startPage({ upstreamUrl: upstream.url });
  const { plan, plannedCalls, report } = panelOf(page);
  await expect.poll(() => plan.innerText()).toContain('1 call');
  await run(page);
  await upstream.received(1);
  await page.getByRole('button', { name: 'New tab' }).click();
  expect([await plan.innerText(), await plannedCalls.count()]).toEqual(['Plan', 0]);
  // The operation ends with its tab.
  await expect.poll(() => held?.destroyed).toBe(true);
  await page.locator('.graphiql-query-editor .view-line').first().click();
  await page.keyboard.insertText('{ site(id: "SITE-1002") { id } }');
  await run(page);
  await expect.poll(() => result(page)).toBe('{ "data": { "site": { "id": "SITE-1002" } } }');
  await openTab(page, 'Site');
  await report.getByText('0 calls').waitFor();
  expect(await result(page)).toBe('');
  expect(await page.locator('.portico-outcome').innerText()).toContain('The response comes here');
});

withChromium('keeps the edits after a reload, but not the headers', async () => {
  const search = { query: 'query Linked { site(id: "SITE-1001") { id } }' };
  const { page, operations } = await startPage({ search });
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await page.locator('section[aria-label=Headers] .graphiql-editor:not(.hidden) .view-line').first().click();
  await page.keyboard.insertText(`{ "x-api-key": "${demoKeys.globex}" }`);
  await page.locator('.graphiql-query-editor .view-line').first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('query Edited { site(id: "SITE-1001") { city } }');
  // GraphiQL stores an edit half a second later.
  await expect.poll(() => page.evaluate('sessionStorage["graphiql:tabState"]')).toContain('Edited');
  for (let reloads = 0; reloads < 2; reloads += 1) {
    await page.reload();
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    await run(page);
    await expect.poll(() => result(page)).toContain('"city": "');
  }
  expect(operations.at(-1)).toMatchObject({ query: expect.stringContaining('Edited'), key: demoKeys.acme });
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(demoKeys.globex);
});

withChromium('prettifies the operation and its variables', async () => {
  const search = { query: 'query Short {site(id: "SITE-1001") {city}}', variables: '{"a":   1}' };
  const { page } = await startPage({ search });
  const textOf = async (editor: string) =>
    (await page.locator(`${editor} .view-lines`).first().innerText()).replace(/\s+/g, ' ');
  await page.getByRole('button', { name: /Prettify/ }).click();
  await expect.poll(() => textOf('.graphiql-query-editor')).toMatch(/^query Short \{ site/);
  await expect.poll(() => textOf('.graphiql-editor-tool')).toBe('{ "a": 1 }');
});
