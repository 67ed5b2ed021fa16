import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoConversations } from '../../../reference/data/demo-ids.ts';
import {
  desktopAndPhone,
  looksOf,
  openTab,
  picture,
  result,
  run,
  startPage,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';

const explorerOf = (page: Page) => page.getByRole('region', { name: 'Explorer' });
const openExplorer = (page: Page) => page.getByRole('button', { name: 'Show Explorer' }).click();

/** The text of the operation, on one line. */
const operation = async (page: Page) =>
  (await page.locator('.graphiql-query-editor .view-lines').innerText()).replace(/\s+/g, ' ').trim();

/** The names of what the page has loaded. */
const loaded = (page: Page) =>
  page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");

const isExplorer = (name: string) => name.includes('/graphiql/explorer-');

async function typeOperation(page: Page, query: string): Promise<void> {
  await page.locator('.graphiql-query-editor .view-line').first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(query);
}

const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.tagName');

async function moveTo(page: Page, expected: RegExp, key = 'Tab'): Promise<void> {
  for (let n = 0; n < 60 && !expected.test(await focused(page)); n += 1) await page.keyboard.press(key);
  expect(await focused(page)).toMatch(expected);
}

withChromium('loads the explorer when it is opened, from the gateway, compressed and for good', async () => {
  const { page, origin, outside, errors } = await startPage();
  expect((await loaded(page)).filter(isExplorer)).toEqual([]);
  const [response] = await Promise.all([
    page.waitForResponse((sent) => isExplorer(sent.url())),
    openExplorer(page),
  ]);
  expect(new URL(response.url()).origin).toBe(origin);
  expect(response.headers()).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
  });
  await explorerOf(page).getByRole('checkbox', { name: 'health' }).waitFor();
  expect([outside, errors]).toEqual([[], []]);
});

withChromium('says that the explorer could not be loaded, and keeps the page', async () => {
  const { page } = await startPage();
  await page.route(/\/graphiql\/explorer-/, (route) => route.abort());
  await openExplorer(page);
  await explorerOf(page).getByText('could not be loaded. Reload the page').waitFor();
  await run(page);
  await expect.poll(() => result(page)).toContain('"site"');
});

withChromium('builds by the keyboard alone an operation that runs with one REST call', async () => {
  const { page, paths, errors } = await startPage({
    search: { query: 'query Built { health { reachable } }' },
  });
  const { keyboard } = page;
  const box = (name: string) => explorerOf(page).getByRole('checkbox', { name, exact: true });
  await moveTo(page, /^Show Explorer$/);
  await keyboard.press('Enter');
  await box('health').first().waitFor();
  expect(await box('health').getAttribute('aria-checked')).toBe('true');

  await moveTo(page, /^health$/);
  await keyboard.press('Space');
  await expect.poll(() => operation(page)).toBe('query Built { __typename ## Placeholder value }');
  expect(await focused(page)).toBe('health');
  await moveTo(page, /^site$/);
  await keyboard.press('Enter');
  // A required argument comes with its field, and its value has the focus.
  await expect.poll(() => operation(page)).toBe('query Built { site(id: "SITE-1001") }');
  await expect.poll(() => focused(page)).toBe('Value of id');
  await keyboard.press('Control+A');
  await keyboard.type('SITE-1002');
  await expect.poll(() => operation(page)).toContain('site(id: "SITE-1002")');
  await moveTo(page, /^serviceLevel$/);
  await keyboard.press('Space');
  await expect.poll(() => operation(page)).toBe('query Built { site(id: "SITE-1002") { serviceLevel } }');
  await moveTo(page, /^Argument id$/, 'Shift+Tab');
  // The focus shows it, as a pointer would.
  await explorerOf(page).getByLabel('Variable for id').waitFor();
  await moveTo(page, /^Variable for id$/);
  await keyboard.press('Enter');
  await expect
    .poll(() => operation(page))
    .toBe('query Built($id: ID = "SITE-1002") { site(id: $id) { serviceLevel } }');

  await keyboard.press('Control+Enter');
  await expect.poll(() => result(page)).toContain('"serviceLevel"');
  expect(paths).toEqual(['/v1/site/SITE-1002']);
  expect(errors).toEqual([]);
});

withChromium('leaves the focus in the editor while arguments are typed there', async () => {
  const { page } = await startPage();
  await openExplorer(page);
  await explorerOf(page).getByLabel('Value of id').or(explorerOf(page).getByText('$id')).first().waitFor();
  expect(await focused(page)).toMatch(/Explorer$/);
  await typeOperation(page, 'query Typed { sites(ids: "SITE-1001") { city } }');
  await explorerOf(page).getByLabel('Value of ids').waitFor();
  await page.keyboard.press('End');
  await page.keyboard.insertText(' # typed on');
  await expect.poll(() => operation(page)).toContain('# typed on');
});

withChromium.each(['on', 'off'])(
  'adds a subscription where there are live queries: LIVE=%s',
  async (LIVE) => {
    const { page } = await startPage({ env: { LIVE } });
    await typeOperation(page, '{ health { reachable } }');
    await openExplorer(page);
    const kinds = explorerOf(page).getByLabel('Kind of the new operation');
    await kinds.waitFor();
    expect(await kinds.locator('option').allInnerTexts()).toEqual(
      LIVE === 'on' ? ['Query', 'Subscription'] : ['Query'],
    );
    if (LIVE === 'off') return;
    await kinds.selectOption('Subscription');
    await explorerOf(page).getByRole('button', { name: 'Add an operation' }).click();
    const group = explorerOf(page).getByRole('group', { name: 'subscription MySubscription' });
    await group.getByRole('checkbox', { name: 'live' }).click();
    await group.getByRole('checkbox', { name: 'conversationContext', exact: true }).click();
    // The editor wraps long lines.
    await expect
      .poll(async () => (await operation(page)).replaceAll(' ', ''))
      .toBe(`subscriptionMySubscription{live{conversationContext(id:"${demoConversations.main}")}}`);
  },
);

withChromium.each(looksOf(desktopAndPhone))(
  'shows an explorer in which axe finds nothing: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { page, errors } = await startPage({ viewport, colorScheme });
    await openTab(page, 'ConversationView');
    await openExplorer(page);
    await explorerOf(page).getByRole('checkbox', { name: 'Argument last' }).focus();
    await picture(page, `explorer-${name}-${colorScheme}`);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(errors).toEqual([]);
  },
);
