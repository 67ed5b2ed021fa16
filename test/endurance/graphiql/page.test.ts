import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import {
  openTab,
  panelOf,
  result,
  run,
  startPage,
  tabsOf,
  type,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';
import { bareSite, sendJson, sendSite, startUpstream } from '../../support/upstream.ts';

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
  expect(await problem.innerText()).toMatch(/^\s*$/);
  expect(await page.getByText('What it means').count()).toBe(0);
  await field.fill('no spaces allowed');
  expect(await problem.innerText()).toContain('A key has no spaces');
});

withChromium('asks for a key at its field, and reads the schema and plans with it', async () => {
  const { page, operations } = await startPage({ apiKey: '', env: { INTROSPECTION: 'key', LIVE: 'off' } });
  expect(await page.getByRole('button', { name: 'Use the demo key' }).count()).toBe(0);
  await expect.poll(() => panelOf(page).panel.innerText()).toContain('plan needs an API key');
  await run(page);
  const problem = page.locator('#api-key-problem');
  await expect.poll(() => problem.innerText()).toBe('Every operation needs a key. Enter one here.');
  expect(await page.evaluate('document.activeElement.id')).toBe('api-key');
  await page.getByRole('button', { name: /^Execute query/ }).waitFor();
  expect([operations, await result(page)]).toEqual([[], '']);
  await page.keyboard.type(demoKeys.acme);
  await expect.poll(() => panelOf(page).plan.innerText()).toContain('1 call');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByText('All Schema Types').waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Schema', exact: true }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('schema.graphql');
  expect(await readFile(await download.path(), 'utf8')).toBe(`${await readFile('schema.graphql', 'utf8')}\n`);
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
  expect((await tabsOf(page).allInnerTexts()).at(-1)).toBe('New operation');
  await type(page, 'operation', 'query Named { site(id: "SITE-1002") { id } }');
  await expect.poll(async () => (await tabsOf(page).allInnerTexts()).at(-1)).toBe('Named');
  await run(page);
  await expect.poll(() => result(page)).toBe('{ "data": { "site": { "id": "SITE-1002" } } }');
  await openTab(page, 'Site');
  await report.getByText('0 calls').waitFor();
  expect(await result(page)).toBe('');
  expect(await page.locator('.portico-outcome').innerText()).toMatch(/^\s*$/);
});

withChromium('loads at most 1.5 MB, all from this origin', async () => {
  const { page, errors } = await startPage();
  await run(page);
  await expect.poll(() => page.locator('.portico-outcome').innerText()).toContain('200');
  // Not `networkidle`: the driver never sees the end of a worker's script that is loaded twice.
  const quietMs =
    "performance.now() - Math.max(...performance.getEntriesByType('resource').map((one) => one.responseEnd))";
  await expect.poll(() => page.evaluate<number>(quietMs)).toBeGreaterThan(2000);
  const sizes = await page.evaluate<[string, number][]>(
    "performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => [name, encodedBodySize])",
  );
  // Workers load some of the scripts again, from the cache.
  const files = new Map(sizes.filter(([name]) => !name.endsWith('/graphql')));
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(1_500_000);
  expect(errors).toEqual([]);
});

/** A name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>(
    '(() => { const e = document.activeElement; return e.ariaLabel || e.innerText || e.id || e.value; })()',
  );

/** Presses `key` until `expected` has the focus. */
async function moveTo(page: Page, expected: RegExp, key = 'Tab'): Promise<void> {
  for (let n = 0; n < 60 && !expected.test(await focused(page)); n += 1) await page.keyboard.press(key);
  expect(await focused(page)).toMatch(expected);
}

withChromium('needs no pointer: key, operation, run, calls and a copy', async () => {
  const { page, operations, errors, paths } = await startPage({ apiKey: '' });
  const { keyboard } = page;
  await moveTo(page, /^api-key$/);
  await keyboard.type(demoKeys.acme);
  await moveTo(page, /^Operation$/);
  await keyboard.press('Control+A');
  await keyboard.insertText('query Typed { site(id: "SITE-1001") { city } }');
  await expect.poll(() => panelOf(page).plan.innerText()).toContain('1 call');

  // Tab leaves each editor, both ways, and changes no text.
  await moveTo(page, /^Variables$/);
  await moveTo(page, /^Response$/);
  await moveTo(page, /^Execute query/, 'Shift+Tab');
  await keyboard.press('Enter');
  await expect.poll(() => result(page)).toMatch(/"city": "/);
  expect(paths).toEqual(['/v1/site/SITE-1001']);
  const query = 'query Typed { site(id: "SITE-1001") { city } }';
  expect(operations).toContainEqual({ explain: 'report', key: demoKeys.acme, query });
  await moveTo(page, /^\/v1\/site\//, 'Shift+Tab');

  await moveTo(page, /^Share/);
  await keyboard.press('Enter');
  await keyboard.press('Enter');
  await page.getByLabel('Copied text').waitFor();
  await keyboard.press('Escape');
  await page.getByLabel('Copied text').waitFor({ state: 'hidden' });
  expect(await focused(page)).toMatch(/^Share/);
  expect(errors).toEqual([]);
});

withChromium('tells a key that lacks a scope from one that opens nothing', async () => {
  const { url } = await startUpstream((req, res) => {
    const isKnown = req.headers['x-api-key'] !== 'another-key';
    if (isKnown && req.url?.startsWith('/v1/site/')) sendSite(req, res);
    else sendJson(res, {}, 403);
  });
  const { page } = await startPage({ upstreamUrl: url, env: { LIVE: 'on' } });
  const problem = page.locator('#api-key-problem');
  await run(page);
  await expect.poll(() => result(page)).toContain('"site": {');
  expect(await problem.innerText()).toMatch(/^\s*$/);
  await openTab(page, 'ConversationView');
  await run(page);
  await problem.getByText('This key has opened sites, but not this: it lacks a scope').waitFor();
  await page.getByLabel('API key', { exact: true }).fill('another-key');
  expect(await problem.innerText()).toMatch(/^\s*$/);
  await openTab(page, 'Live');
  await run(page);
  await problem.getByText('The REST API rejected this key').waitFor();
});

/** A REST API that is deprecated, and says how many calls are left. */
async function startDeprecated() {
  const state = { remaining: 5997, city: 'Bend' };
  const upstream = await startUpstream((_, res) => {
    sendJson(res, { ...bareSite('SITE-1001'), city: state.city, clients: [] }, 200, {
      ratelimit: `"default";r=${state.remaining};t=41`,
      'ratelimit-policy': '"default";q=6000;w=60',
      deprecation: '@1767225600',
      sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
    });
  });
  return { state, upstreamUrl: upstream.url };
}

withChromium('says what is left of the rate limit, and until when there is the REST API', async () => {
  const { state, upstreamUrl } = await startDeprecated();
  const { page } = await startPage({ upstreamUrl, env: { LIVE: 'on', LIVE_INTERVAL_S: '1' } });
  const banner = page.locator('.portico-banner');
  const { report } = panelOf(page);
  const live = page.locator('.portico-live');
  await run(page);
  await report.getByText(/Rate limit: 5,997 of 6,000 left, resets in 41 s, as of \d/).waitFor();
  await openTab(page, 'Live');
  await run(page);
  await live.getByText(/Rate limit: 5,997 of 6,000 left, resets in 41 s, as of \d/).waitFor();
  Object.assign(state, { remaining: 1199, city: 'Salem' });
  await live.getByText(/as of .*\. Less than a fifth\./).waitFor();
  expect(await result(page)).not.toContain('extensions');
  await banner.getByText(/is deprecated since 1 January 2026 and ends on 31 December 2026\./).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await banner.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await openTab(page, 'Site');
  await run(page);
  await panelOf(page).bars.first().waitFor();
  expect(await banner.count()).toBe(0);
});

withChromium(
  'skips to the operation, says what an empty one is, sorts the docs, and has no barrier in a panel',
  async () => {
    const { page, errors, operations } = await startPage({ search: { query: '# nothing yet' } });
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the operation');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Operation');
    await page.getByText('The response comes here.').waitFor();
    operations.length = 0;
    await run(page);
    await expect.poll(() => result(page)).toContain('There is nothing to run: the operation is empty.');
    expect(operations).toEqual([]);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const types = page.locator('.graphiql-doc-explorer-section-content').last();
    const names = await types.locator('a', { hasText: /^\w+$/ }).allInnerTexts();
    expect(names).toEqual(names.toSorted());
    expect(names).toContain('ConversationContext');
    for (const panel of ['GraphiQL Explorer', 'History']) {
      await page.getByRole('button', { name: `Show ${panel}` }).click();
      expect(await violationsOn(page), panel).toEqual([]);
    }
    expect(errors).toEqual([]);
  },
);
