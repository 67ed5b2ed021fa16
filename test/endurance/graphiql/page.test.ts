import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { demoConversations, demoKeys } from '../../../reference/data/demo-ids.ts';
import {
  openTab,
  panelOf,
  result,
  run,
  startPage,
  tabsOf,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';
import { createGate } from '../../support/gate.ts';
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

withChromium('says what to do with a wrong key, and offers the demo key', async () => {
  const { page } = await startPage();
  const field = page.getByLabel('API key', { exact: true });
  await field.fill('wrong-key-000000000000');
  await run(page);
  await expect
    .poll(() => page.locator('#api-key-problem').innerText())
    .toContain('The REST API rejected this key.');
  // The response names a code, and the page explains it.
  await page.getByText('FORBIDDEN What it means').click();
  expect(await page.getByText('What to do:').first().isVisible()).toBe(true);
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use the demo key' }).click();
  expect(await field.inputValue()).toBe(demoKeys.acme);
  expect(await page.locator('#api-key-problem').innerText()).toBe('');
  await field.fill('no spaces allowed');
  expect(await page.locator('#api-key-problem').innerText()).toContain('A key has no spaces');
});

withChromium(
  'asks for a key where there is no demo key, and reads the schema and plans with it',
  async () => {
    const { page, operations } = await startPage({ apiKey: '', env: { INTROSPECTION: 'key' } });
    await panelOf(page).panel.getByText('A plan needs a key').waitFor();
    expect(operations).toEqual([]);
    expect(await page.getByRole('button', { name: 'Use the demo key' }).count()).toBe(0);
    await run(page);
    await expect.poll(() => result(page)).toContain('Send exactly one API key, in the x-api-key header.');
    expect(await page.locator('#api-key-problem').innerText()).toContain('Every operation needs a key.');
    await page.getByLabel('API key', { exact: true }).fill(demoKeys.acme);
    await expect.poll(() => panelOf(page).plan.innerText()).toContain('1 call');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('All Schema Types').waitFor();
  },
);

withChromium('shows nothing of one tab in another', async () => {
  let held: ServerResponse | undefined;
  const upstream = await startUpstream((req, res) => {
    if (req.url?.includes('SITE-1001')) held = res;
    else sendJson(res, bareSite('SITE-1002'));
  });
  const { page } = await startPage({ upstreamUrl: upstream.url });
  const { panel, plan, plannedCalls, report } = panelOf(page);
  await expect.poll(() => plan.innerText()).toContain('1 call');
  await run(page);
  await upstream.received(1);
  await page.getByRole('button', { name: 'New tab' }).click();
  expect([await plan.innerText(), await plannedCalls.count()]).toEqual(['Plan', 0]);
  await panel.getByText('The plan of the operation comes as you type.').waitFor();
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
  expect(await page.locator('.portico-outcome').innerText()).toBe('');
});

withChromium(
  'keeps an edit that a change of the tab follows at once, and merges nothing of another tab',
  async () => {
    const { page } = await startPage();
    const editor = page.locator('.graphiql-query-editor .view-lines');
    const others = (await tabsOf(page).allInnerTexts()).slice(1);
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Edited { site(id: "SITE-1002") { city } }');
    // GraphiQL reads a text 100 ms after a change.
    await page.evaluate(`
    document.querySelectorAll('.graphiql-tab-button')[1].click();
    document.querySelector('[aria-label^="Merge fragments"]').click();
  `);
    await editor.getByText('conversationContext').waitFor();
    await expect.poll(() => tabsOf(page).allInnerTexts()).toEqual(['Edited', ...others]);
    await openTab(page, 'Edited');
    await openTab(page, 'ConversationView');
  },
);

withChromium(
  'keeps the operation that was run selected, through an edit of its name and another tab',
  async () => {
    const query = 'query First { health { reachable } }\nquery Second { site(id: "SITE-1001") { id } }';
    const { page } = await startPage({ search: { query } });
    const names = () => tabsOf(page).allInnerTexts();
    const { plannedCalls } = panelOf(page);
    await expect.poll(() => plannedCalls.allInnerTexts()).toEqual([expect.stringContaining('/v1/health')]);
    await page.locator('.graphiql-query-editor').getByText('Second').click();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => result(page)).toContain('SITE-1001');
    await page.keyboard.type('s');
    await expect.poll(names).toEqual([expect.stringMatching(/^S[econd]*s[econd]*$/)]);
    await expect.poll(() => plannedCalls.allInnerTexts()).toEqual([expect.stringContaining('SITE-1001')]);
    const [edited] = await names();
    await page.getByRole('button', { name: 'New tab' }).click();
    await expect.poll(() => plannedCalls.count()).toBe(0);
    await tabsOf(page).first().click();
    await expect.poll(() => plannedCalls.allInnerTexts()).toEqual([expect.stringContaining('SITE-1001')]);
    expect(await names()).toEqual([edited, '<untitled>']);
  },
);

withChromium('prettifies the editors, but for a text that has changed meanwhile', async () => {
  const search = { query: 'query Short {site(id: "SITE-1001") {city}}', variables: '{"a":   1}' };
  const { page } = await startPage({ search });
  const textOf = async (editor: string) =>
    (await page.locator(`${editor} .view-lines`).first().innerText()).replace(/\s+/g, ' ');
  const prettify = () => page.getByRole('button', { name: /Prettify/ }).click();
  // What formats the variables comes with the first use.
  const held = createGate();
  await page.route(/\/graphiql\/babel-/, (route) => held.promise.then(() => route.continue()));
  await prettify();
  await page.locator('.graphiql-editor-tool .view-line').first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('7//typed');
  held.open();
  await expect.poll(() => textOf('.graphiql-query-editor')).toMatch(/^query Short \{ site/);
  expect(await textOf('.graphiql-editor-tool')).toBe('7//typed');
  await prettify();
  await expect.poll(() => textOf('.graphiql-editor-tool')).toBe('7 //typed');
});

withChromium.each(['light', 'dark'] as const)('has legible documentation: %s', async (colorScheme) => {
  const { page } = await startPage({ colorScheme });
  const docs = page.getByRole('region', { name: 'Documentation Explorer' });
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await docs.getByText('All Schema Types').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  for (const name of ['Query', 'sites', 'Site', 'ServiceLevel']) {
    await docs.getByRole('link', { name, exact: true }).last().click();
    await docs.locator('.graphiql-doc-explorer-title').getByText(name, { exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  }
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
  for (let reloads = 0; reloads < 2; reloads += 1) {
    await page.reload();
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    await run(page);
    await expect.poll(() => result(page)).toContain('"city": "');
  }
  expect(operations.at(-1)).toMatchObject({ query: expect.stringContaining('Edited'), key: demoKeys.acme });
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(demoKeys.globex);
});

withChromium('takes no headers from the history', async () => {
  const { page, operations } = await startPage();
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  const typeKey = async (key: string) => {
    await page
      .locator('section[aria-label=Headers] .graphiql-editor:not(.hidden) .view-line')
      .first()
      .click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(`{ "x-api-key": "${key}" }`);
  };
  const sent = () => operations.filter(({ explain }) => explain === 'report').map(({ key }) => key);
  await typeKey(demoKeys.globex);
  await run(page);
  await expect.poll(sent).toEqual([demoKeys.globex]);
  await typeKey(demoKeys.acme);
  await page.getByRole('button', { name: 'Show History' }).click();
  await page.getByRole('button', { name: 'Set active' }).click();
  await run(page);
  await expect.poll(sent).toEqual([demoKeys.globex, demoKeys.acme]);
});

withChromium('opens a link to an operation, and makes one without the key', async () => {
  const search = {
    query: 'query Linked($id: ID!) { conversationContext(id: $id) { subject } }',
    variables: JSON.stringify({ id: demoConversations.main }),
  };
  const { page, origin, errors } = await startPage({ search });
  await expect.poll(() => tabsOf(page).first().innerText()).toContain('Linked');
  await run(page);
  await expect.poll(() => result(page)).toContain('"subject": "');
  await page.getByRole('button', { name: 'Share' }).click();
  const link = await page.getByLabel('Link to this operation').inputValue();
  expect(link).not.toContain(demoKeys.acme);
  const { origin: linked, pathname, searchParams } = new URL(link);
  expect([linked, pathname, Object.fromEntries(searchParams)]).toEqual([origin, '/graphql', search]);
  expect(errors).toEqual([]);
});
