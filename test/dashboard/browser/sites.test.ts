import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { violationsOn, withChromium } from '../../support/browser.ts';
import { useDashboard } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { type Script, sendJson, sendSite, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();

/** An upstream that has every site, unless `script` responds otherwise by returning true. */
async function start(script: (...args: Parameters<Script>) => unknown = () => false) {
  const upstream = await startUpstream((req, res) => {
    if (script(req, res) === true) return;
    const { id } = siteFromPath(req.url ?? '');
    const cppExpDate = `20${20 + (Number(id.slice('SITE-'.length)) % 20)}-03-18T00:00:00.000Z`;
    sendSite(req, res, { address1: `Road ${id}`, serviceLevel: 'CPP Proactive', cppExpDate });
  });
  // Fifty calls at once, on a busy machine.
  const limits = { UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' };
  const gateway = await startGateway(upstream.url, { LIVE: 'on', ...limits });
  return { upstream, origin: await serve(gateway.url) };
}

const pathsOf = (...numbers: number[]) => numbers.map((number) => `/v1/site/SITE-${number}`);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const row = (page: Page, id: string) => page.locator(`tr[data-site="${id}"]`);
const loaded = (page: Page, id: string) =>
  row(page, id)
    .getByRole('link', { name: `Road ${id}` })
    .waitFor();
const order = (page: Page) =>
  page
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((item) => item.getAttribute('data-site')?.slice(5)));

async function choose(page: Page, id: string, choice: string) {
  await row(page, id).locator('summary').click();
  await row(page, id).getByRole('button', { name: choice, exact: true }).click();
}

async function add(page: Page, text: string) {
  await page.getByRole('textbox', { name: /Any text/ }).fill(text);
  await page.getByRole('button', { name: 'Add to my sites' }).click();
}

withChromium('adds the ids of any text, reads each site once, and then shows the table first', async () => {
  const { origin, upstream } = await start();
  const { page, faults } = await openPage(origin, '/');
  await page.getByRole('banner').getByRole('link', { name: 'My sites' }).click();
  await page.getByText('Paste the ids of your sites').waitFor();
  await add(page, 'House at the lake');
  await page.getByText('There is no site id in this text.').waitFor();
  await add(page, `Please look at SITE-2.\nsite-1 and ${origin}/site/SITE-3#clients, SITE-2`);
  await page.getByText('3 sites added.').waitFor();
  await loaded(page, 'SITE-3');
  await add(page, 'SITE-3, SITE-4');
  await page.getByText('1 site added. 1 id was there already.').waitFor();
  await loaded(page, 'SITE-4');
  expect(await order(page)).toEqual(['2', '1', '3', '4']);
  expect(upstream.paths().toSorted()).toEqual(pathsOf(1, 2, 3, 4));
  await page.reload();
  await loaded(page, 'SITE-4');
  expect(await page.getByRole('textbox', { name: /Any text/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Add sites' }).click();
  await page.getByRole('textbox', { name: /Any text/ }).waitFor();
  expect(faults).toEqual([]);
});

withChromium('asks before it adds what the REST API has never heard of', async () => {
  const { origin } = await start((req, res) => {
    const status = { 'SITE-8': 404, 'SITE-9': 500 }[siteFromPath(req.url ?? '').id];
    if (status) sendJson(res, {}, status);
    return status !== undefined;
  });
  const { page } = await openPage(origin, '/sites');
  await add(page, 'SITE-1 SITE-8 SITE-9');
  // A site that cannot be read may exist.
  await page.getByText('2 sites added.').waitFor();
  await page.getByText('The REST API does not know SITE-8.').waitFor();
  expect(await order(page)).toEqual(['1', '9']);
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add anyway' }).click();
  await row(page, 'SITE-8').getByText('Site not found.').waitFor();
});

withChromium('is not held up by a megabyte of pasted text', async () => {
  const { origin, upstream } = await start();
  const { page, context } = await openPage(origin, '/sites');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const text = Array.from({ length: 95_000 }, (_, n) => `SITE-${n % 300} x`).join('\n');
  await page.evaluate((all) => navigator.clipboard.writeText(all), text);
  await page.getByRole('textbox', { name: /Any text/ }).focus();
  await page.keyboard.press('Control+V');
  await page.getByText('300 ids found.').waitFor();
  // The text itself would take the browser seconds.
  expect((await page.getByRole('textbox', { name: /Any text/ }).inputValue()).split('\n')).toHaveLength(300);
  await page.getByRole('button', { name: 'Add to my sites' }).click();
  await loaded(page, 'SITE-49');
  expect(upstream.paths()).toHaveLength(50);
});

withChromium(
  'reads a page when it is shown, and no site again that was pinned, removed or sorted',
  async () => {
    const { origin, upstream } = await start();
    const { page } = await openPage(origin, '/sites');
    await add(page, range(1, 120).join('\n'));
    await page.getByText('Sites 1 to 50 of 120').waitFor();
    await loaded(page, 'SITE-50');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Sites 51 to 100 of 120').waitFor();
    await loaded(page, 'SITE-100');
    await page.getByRole('button', { name: 'Next' }).click();
    await loaded(page, 'SITE-120');
    expect(upstream.paths()).toHaveLength(120);
    await choose(page, 'SITE-107', 'Pin');
    await expect.poll(async () => (await order(page))[0]).toBe('107');
    await page.getByRole('button', { name: 'CPP expires' }).click();
    await choose(page, 'SITE-120', 'Remove');
    await page.getByText('Sites 101 to 119 of 119').waitFor();
    await row(page, 'SITE-108').getByRole('link').click();
    await page.getByText('There are no projects').or(page.getByText('nothing was sent').first()).waitFor();
    await page.goBack();
    await loaded(page, 'SITE-119');
    expect(page.url()).toBe(`${origin}/sites?page=3&sort=expiry`);
    expect(upstream.paths().filter((path) => !path.includes('SITE-108'))).toHaveLength(119);
  },
);

withChromium('says in each row what is wrong with its site, and once what is wrong with all', async () => {
  const failures: Record<string, number> = { 'SITE-2': 404, 'SITE-3': 403, 'SITE-4': 500 };
  const { origin } = await start((req, res) => {
    const status = failures[siteFromPath(req.url ?? '').id];
    if (status) sendJson(res, {}, status);
    return status !== undefined;
  });
  const { page, context } = await openPage(origin, '/sites?ids=1,2,3,4,SITE-a%2F..%2Fb,nothing');
  await loaded(page, 'SITE-1');
  const problem = (id: string, code: string) => row(page, id).locator(`[data-code="${code}"]`).waitFor();
  await problem('SITE-2', 'NOT_FOUND');
  await problem('SITE-3', 'FORBIDDEN');
  await problem('SITE-4', 'UPSTREAM_UNAVAILABLE');
  await problem('SITE-a/../b', 'BAD_USER_INPUT');
  expect(await violationsOn(page)).toEqual([]);
  delete failures['SITE-4'];
  await row(page, 'SITE-4').getByRole('button', { name: 'Try again' }).click();
  await loaded(page, 'SITE-4');

  await context.setOffline(true);
  await page.getByRole('banner').getByRole('link', { name: 'My sites' }).click();
  await add(page, '5 6');
  await page.locator('[data-code="OFFLINE"]').getByText('No connection.').waitFor();
  expect(await page.getByText('This site could not be read.').count()).toBe(2);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await loaded(page, 'SITE-6');
});

withChromium('keeps names and pins in the browser, for all tabs and out of the link', async () => {
  const { origin } = await start();
  const { page, context } = await openPage(origin, '/sites');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await add(page, '1, 2');
  await loaded(page, 'SITE-2');
  page.on('dialog', (dialog) => void dialog.accept('Aunt Ada'));
  await choose(page, 'SITE-2', 'Name…');
  await row(page, 'SITE-2').getByRole('link', { name: 'Aunt Ada' }).waitFor();
  await choose(page, 'SITE-2', 'Pin');
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied.').waitFor();
  const link = await page.evaluate('navigator.clipboard.readText()');
  expect(link).toBe(`${origin}/sites?ids=SITE-1,SITE-2`);
  // The menu closes at Escape, and its button has the focus again.
  await row(page, 'SITE-1').locator('summary').click();
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Change Road SITE-1');

  const other = await context.newPage();
  await other.goto(`${origin}/sites`);
  await other.getByRole('button', { name: 'Add sites' }).click();
  await add(other, '5');
  await loaded(page, 'SITE-5');
  expect(await order(page)).toEqual(['2', '1', '5']);
  await page.getByRole('button', { name: 'Remove all…' }).click();
  await page.getByText('Paste the ids of your sites').waitFor();
});

withChromium('shows shared sites, which are not kept until they are added', async () => {
  const { origin } = await start();
  const { page } = await openPage(origin, '/');
  await page.getByRole('textbox').fill(`${origin}/sites?ids=SITE-2,SITE-Lake%2C%20Shore`);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shared sites' }).waitFor();
  await page.getByText('These 2 sites are from the address of this page, and not in your list.').waitFor();
  await loaded(page, 'SITE-2');
  expect(await page.locator('.row-menu').count()).toBe(0);
  await page.getByRole('button', { name: 'Add to my sites' }).click();
  await page.getByRole('heading', { level: 1, name: 'My sites' }).waitFor();
  await loaded(page, 'SITE-Lake, Shore');
  expect(page.url()).toBe(`${origin}/sites`);
});

withChromium('prints the table alone', async () => {
  const { origin } = await start();
  const { page } = await openPage(origin, '/sites');
  await add(page, '1, 2');
  await loaded(page, 'SITE-2');
  await page.emulateMedia({ media: 'print' });
  const others = page.locator('.masthead, .skip-link, .cost, form, nav, summary, h1 ~ div button');
  expect(await others.filter({ visible: true }).count()).toBe(0);
  expect(await page.getByRole('columnheader').allInnerTexts()).toContain('CPP expires');
  await loaded(page, 'SITE-1');
});

withChromium('has no barrier, once and live, and fits desktop, tablet and phone', async () => {
  const reference = await startReference();
  const origin = await serve((await startGateway(reference.url, { LIVE: 'on' })).url, demoKeys.acme);
  const { page, faults } = await openPage(origin, `/conversation/${demoConversations.withGoneSite}`);
  await page.getByRole('link', { name: 'Show in a table' }).click();
  await page.getByRole('button', { name: 'Add to my sites' }).click();
  await row(page, demoSites().gone).locator('[data-code="NOT_FOUND"]').waitFor();
  await page.getByRole('switch', { name: 'Live' }).click();
  await expect.poll(() => page.locator('#live-note').innerText()).toMatch(/^Checked \d+ seconds? ago/);
  await row(page, demoSites().gone).locator('[data-code="NOT_FOUND"]').waitFor();
  await page.getByRole('button', { name: 'Add sites' }).click();
  await page.locator('.row-menu summary').first().click();
  for (const width of [1280, 820, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOn(page)).toEqual([]);
    }
  }
  expect(faults).toEqual([]);
});
