import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { violationsOn } from '../../support/browser.ts';
import { screenshot, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { bareSite, type Script, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();

/** An upstream that has every site, unless `script` responds otherwise by returning true. */
async function start(script: (...args: Parameters<Script>) => unknown = () => false) {
  const upstream = await startUpstream((req, res) => {
    if (script(req, res) === true) return;
    const { id } = siteFromPath(req.url ?? '');
    const number = Number(id.slice('SITE-'.length));
    const level = ['Membership', 'Basic', 'CPP Proactive'][number % 3];
    const cppExpDate = `20${20 + (number % 20)}-03-18T00:00:00.000Z`;
    sendJson(res, { ...bareSite(id), address1: `Road ${id}`, serviceLevel: level, cppExpDate });
  });
  const gateway = await startGateway(upstream.url);
  return { upstream, origin: await serve(gateway.url) };
}

const pathsOf = (...numbers: number[]) => numbers.map((number) => `/v1/site/SITE-${number}`);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const titles = (page: Page) => page.locator('.sites-table tbody th a').allInnerTexts();
const row = (page: Page, id: string) => page.locator(`tr[data-site="${id}"]`);
const table = (page: Page) => page.getByRole('table', { name: /Sites/ });
const cost = (page: Page) => page.getByRole('complementary', { name: 'Cost of this view' });

/** Waits for all rows of the table that is shown. */
async function allLoaded(page: Page) {
  await page.locator('.sites-table tbody tr').first().waitFor();
  await expect.poll(() => page.locator('.sites-table td[colspan]').count()).toBe(0);
}

async function paste(page: Page, text: string) {
  await page.getByRole('textbox', { name: /Ids, links/ }).fill(text);
  await page.getByRole('button', { name: 'Add to my sites' }).click();
}

withBrowser('reads each pasted site once, and keeps what is no id', async () => {
  const { origin, upstream } = await start();
  const { page, faults } = await openPage(origin, '/');
  await page.getByRole('link', { name: 'My sites' }).click();
  await page.getByText('The REST API has no list of sites').waitFor();
  await paste(page, `site-2\n1\r\nHouse at the lake\n${origin}/site/SITE-3#clients\n2`);
  await row(page, 'SITE-3').getByRole('link', { name: 'Road SITE-3' }).waitFor();
  await page.getByText('3 sites added. 1 id was there already.').waitFor();
  await page.getByText('1 line has no site id. It stays in the field.').waitFor();
  expect(await page.getByRole('textbox', { name: /Ids, links/ }).inputValue()).toBe('House at the lake');
  expect(await titles(page)).toEqual(['Road SITE-2', 'Road SITE-1', 'Road SITE-3']);
  expect(upstream.paths().toSorted()).toEqual(pathsOf(1, 2, 3));
  expect(page.url()).toBe(`${origin}/sites?ids=SITE-2,SITE-1,SITE-3`);
  await expect.poll(() => cost(page).innerText()).toMatch(/3 REST calls/);
  expect(faults).toEqual([]);
});

withBrowser('reads a page when it is shown, and none of its sites a second time', async () => {
  const { origin, upstream } = await start();
  const { page } = await openPage(origin, '/sites');
  await paste(page, range(1, 120).join('\n'));
  await table(page).getByText('Sites 1 to 50 of 120').waitFor();
  await allLoaded(page);
  expect(upstream.paths().toSorted()).toEqual(pathsOf(...range(1, 50)).toSorted());
  await page.getByRole('button', { name: 'Next' }).click();
  await table(page).getByText('Sites 51 to 100 of 120').waitFor();
  await allLoaded(page);
  expect(upstream.paths().slice(50).toSorted()).toEqual(pathsOf(...range(51, 100)).toSorted());

  // None of these needs a call.
  await page.getByRole('button', { name: 'Previous' }).click();
  await row(page, 'SITE-7').getByRole('button', { name: 'Pin', exact: false }).click();
  expect((await titles(page))[0]).toBe('Road SITE-7');
  await page.getByRole('button', { name: 'CPP expires' }).click();
  await row(page, 'SITE-8').getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Road SITE-8' }).waitFor();
  await expect
    .poll(() => upstream.paths().slice(100))
    .toEqual(['/v1/site/SITE-8', '/v1/site/SITE-8?include=clients,projects']);
  await page.goBack();
  await row(page, 'SITE-7').getByRole('link', { name: 'Road SITE-7' }).waitFor();
  expect(upstream.paths()).toHaveLength(102);

  // The first site of the next page moves up: it is there already.
  await row(page, 'SITE-8')
    .getByRole('button', { name: /Remove/ })
    .click();
  await row(page, 'SITE-51').getByRole('link', { name: 'Road SITE-51' }).waitFor();
  await page.getByRole('combobox', { name: /Page/ }).focus();
  await page.getByRole('combobox', { name: /Page/ }).selectOption('3');
  await row(page, 'SITE-120').getByRole('link', { name: 'Road SITE-120' }).waitFor();
  expect(upstream.paths().slice(102).toSorted()).toEqual(pathsOf(...range(102, 120)).toSorted());
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
  await page.reload();
  await table(page).getByText('Sites 101 to 119 of 119').waitFor();
  await row(page, 'SITE-120')
    .getByRole('button', { name: /Remove/ })
    .click();
  await table(page).getByText('Sites 101 to 118 of 118').waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('3');
});

withBrowser('says in each row what is wrong with its site, and reads that one again', async () => {
  const failures: Record<string, number> = { 'SITE-2': 404, 'SITE-3': 403, 'SITE-4': 500, 'SITE-5': 500 };
  const { origin, upstream } = await start((req, res) => {
    const status = failures[siteFromPath(req.url ?? '').id];
    if (status) sendJson(res, {}, status);
    return status !== undefined;
  });
  const { page, faults } = await openPage(origin, '/sites?ids=1,2,3,4,5,SITE-a%2F..%2Fb,nothing');
  await row(page, 'SITE-1').getByRole('link', { name: 'Road SITE-1' }).waitFor();
  const problem = (id: string, code: string) => row(page, id).locator(`[data-code="${code}"]`);
  await problem('SITE-2', 'NOT_FOUND').getByText('belongs to another partner').waitFor();
  await problem('SITE-3', 'FORBIDDEN').getByText('Not permitted.').waitFor();
  await problem('SITE-4', 'UPSTREAM_UNAVAILABLE').getByText('Not available.').waitFor();
  await problem('SITE-a/../b', 'BAD_USER_INPUT').waitFor();
  await page.getByText('1 id of the link is not of a site.').waitFor();
  expect(await row(page, 'SITE-3').getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
  const before = upstream.paths().length;

  delete failures['SITE-4'];
  await row(page, 'SITE-4').getByRole('button', { name: 'Try again' }).click();
  await row(page, 'SITE-4').getByRole('link', { name: 'Road SITE-4' }).waitFor();
  await problem('SITE-5', 'UPSTREAM_UNAVAILABLE').waitFor();
  expect(upstream.paths().slice(before)).toEqual(pathsOf(4));
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TABLE');
  expect(faults).toEqual([]);
});

withBrowser('after a rate limit reads the rows again that failed, and no others', async () => {
  let isLimited = true;
  const { origin, upstream } = await start((req, res) => {
    if (!isLimited || siteFromPath(req.url ?? '').id !== 'SITE-2') return false;
    isLimited = false;
    sendJson(res, {}, 429, { 'retry-after': '1' });
    return true;
  });
  const { page } = await openPage(origin, '/sites?ids=1,2,3');
  await row(page, 'SITE-2').getByRole('link', { name: 'Road SITE-2' }).waitFor();
  await allLoaded(page);
  const made = upstream.paths();
  expect(made.filter((path) => path === '/v1/site/SITE-1')).toHaveLength(1);
  expect(made.filter((path) => path === '/v1/site/SITE-2')).toHaveLength(2);
});

withBrowser('says once that nothing could be read, and then reads it', async () => {
  const { origin, upstream } = await start();
  const { page, context } = await openPage(origin, '/sites');
  await context.setOffline(true);
  await paste(page, '1\n2');
  await page.locator('[data-code="OFFLINE"]').getByText('No connection.').waitFor();
  expect(await page.getByText('This site could not be read.').count()).toBe(2);
  expect(await violationsOn(page)).toEqual([]);
  await context.setOffline(false);
  await page.locator('[data-code="OFFLINE"]').getByRole('button', { name: 'Try again' }).click();
  await row(page, 'SITE-2').getByRole('link', { name: 'Road SITE-2' }).waitFor();
  expect(upstream.paths().toSorted()).toEqual(pathsOf(1, 2));
});

withBrowser.each([
  ['while it counts down', 429, /Retries by itself in \d+ s/],
  ['where none can help', 403, 'Not permitted.'],
])('has no button in the rows %s', async (_, status, text) => {
  const { origin } = await start((_req, res) => {
    sendJson(res, {}, status, { 'retry-after': '600' });
    return true;
  });
  const { page } = await openPage(origin, '/sites?ids=1,2');
  await page.getByText(text).waitFor();
  expect(await page.getByText('This site could not be read.').count()).toBe(2);
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
});

withBrowser('sorts by level or expiry, pinned sites first, by the keyboard alone', async () => {
  const { origin } = await start((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (id === 'SITE-9') sendJson(res, bareSite(id));
    return id === 'SITE-9';
  });
  const { page } = await openPage(origin, '/sites?ids=9,3,2,1,4');
  await allLoaded(page);
  const order = () =>
    page
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((item) => item.getAttribute('data-site')?.slice(5)));
  const sorted = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort');
  expect(await order()).toEqual(['9', '3', '2', '1', '4']);
  await page.getByRole('button', { name: 'CPP expires' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(order).toEqual(['1', '2', '3', '4', '9']);
  expect(await sorted('CPP expires')).toBe('ascending');
  await page.keyboard.press('Enter');
  await expect.poll(order).toEqual(['4', '3', '2', '1', '9']);
  expect(await sorted('CPP expires')).toBe('descending');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  // Basic, CPP Proactive, Membership, and the one without a level last.
  await expect.poll(order).toEqual(['1', '4', '2', '3', '9']);
  expect([await sorted('Service level'), await sorted('CPP expires')]).toEqual(['ascending', 'none']);
  expect(page.url()).toContain('&sort=level');
  const pin = row(page, 'SITE-9').getByRole('button', { name: /^Pin/ });
  await pin.focus();
  await page.keyboard.press('Space');
  await expect.poll(order).toEqual(['9', '1', '4', '2', '3']);
  expect(await pin.getAttribute('aria-pressed')).toBe('true');
  expect(await page.evaluate('document.activeElement.getAttribute("aria-pressed")')).toBe('true');
  await page.reload();
  await expect.poll(order).toEqual(['9', '1', '4', '2', '3']);
});

withBrowser('keeps names in the browser, and out of the link', async () => {
  const { origin } = await start();
  const { page, context } = await openPage(origin, '/sites');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await paste(page, '1, 2');
  await row(page, 'SITE-2').getByRole('button', { name: /^Name/ }).click();
  await page.getByRole('textbox', { name: 'Your name for SITE-2' }).fill('Aunt Ada');
  await page.keyboard.press('Enter');
  await row(page, 'SITE-2').getByRole('link', { name: 'Aunt Ada' }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Name Aunt Ada');
  await page.goto(`${origin}/sites`);
  await row(page, 'SITE-2').getByRole('link', { name: 'Aunt Ada' }).waitFor();
  await allLoaded(page);
  expect(await row(page, 'SITE-2').innerText()).toContain('Road SITE-2');
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${origin}/sites?ids=SITE-1,SITE-2`);
  await row(page, 'SITE-2').getByRole('button', { name: /^Name/ }).click();
  await page.keyboard.press('Escape');
  await row(page, 'SITE-2').getByRole('link', { name: 'Aunt Ada' }).waitFor();
});

withBrowser('shows the sites of a link beside the own list, and adds them on demand', async () => {
  const { origin } = await start();
  const { page, context } = await openPage(origin, '/sites');
  await paste(page, '1');
  await row(page, 'SITE-1').getByRole('link', { name: 'Road SITE-1' }).waitFor();
  await page.goto(`${origin}/sites?ids=SITE-2,SITE-Lake%2C%20Shore`);
  await page.getByRole('heading', { level: 1, name: 'Sites of a link' }).waitFor();
  await page.getByText('Your own list has 1 site.').waitFor();
  await row(page, 'SITE-Lake, Shore').getByRole('link').waitFor();
  expect(
    await row(page, 'SITE-2')
      .getByRole('button', { name: /Remove/ })
      .count(),
  ).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
  // What another tab adds meanwhile is kept.
  const other = await context.newPage();
  await other.goto(`${origin}/sites`);
  await paste(other, '5');
  await row(other, 'SITE-5').waitFor();
  await page.getByText('Your own list has 2 sites.').waitFor();
  await page.getByRole('button', { name: 'Add to my sites' }).click();
  await page.getByRole('heading', { level: 1, name: 'My sites' }).waitFor();
  expect(page.url()).toBe(`${origin}/sites?ids=SITE-1,SITE-5,SITE-2,SITE-Lake%2C%20Shore`);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Remove all…' }).click();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('My sites');
  await table(page).waitFor({ state: 'detached' });
  expect(await page.evaluate("localStorage.getItem('portico-dashboard.sites')")).not.toContain('SITE-1');
});

withBrowser(
  'opens the sites of a link that is entered on the start page, in the order of the link',
  async () => {
    const { origin } = await start();
    const { page } = await openPage(origin, '/');
    const path = '/sites?ids=SITE-2,SITE-Lake%2C%20Shore&sort=level';
    await page.getByRole('textbox').fill(`${origin}${path}`);
    await page.getByRole('button', { name: 'Open' }).click();
    await row(page, 'SITE-Lake, Shore').getByRole('link').waitFor();
    expect(page.url()).toBe(`${origin}${path}`);
  },
);

withBrowser('shows the own list as it is now, on Back and after a change in another tab', async () => {
  const { origin } = await start();
  const { page, context } = await openPage(origin, '/sites');
  const own = page.getByRole('heading', { level: 1, name: 'My sites' });
  await paste(page, range(1, 60).join('\n'));
  await page.getByRole('button', { name: 'Next' }).click();
  await row(page, 'SITE-60')
    .getByRole('button', { name: /Remove/ })
    .click();
  await table(page).getByText('Sites 51 to 59 of 59').waitFor();
  await page.goBack();
  await table(page).getByText('Sites 1 to 50 of 59').waitFor();
  expect(await own.count()).toBe(1);
  await page.getByRole('button', { name: 'CPP expires' }).click();
  const other = await context.newPage();
  await other.goto(`${origin}/sites`);
  await paste(other, '61');
  await table(page).getByText('Sites 1 to 50 of 60').waitFor();
  expect(await own.count()).toBe(1);
  await page.reload();
  await table(page).getByText('Sites 1 to 50 of 60').waitFor();
  expect(await own.count()).toBe(1);
  // What another browser opens by this address is a link.
  await other.goto(page.url());
  await other.getByRole('heading', { level: 1, name: 'Sites of a link' }).waitFor();
  await other.goto(`${origin}/sites`);
  await paste(other, range(1, 900).join('\n'));
  await table(page).getByText('Sites 1 to 50 of 900').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  expect(page.url()).toBe(`${origin}/sites?page=2&sort=expiry`);
});

withBrowser('keeps what another tab has changed while this one showed another page', async () => {
  const { origin } = await start();
  const { page, context } = await openPage(origin, '/sites');
  await paste(page, '1');
  await row(page, 'SITE-1').getByRole('link', { name: 'Road SITE-1' }).click();
  await page.getByRole('heading', { level: 1, name: 'Road SITE-1' }).waitFor();
  const other = await context.newPage();
  await other.goto(`${origin}/sites`);
  await paste(other, '2');
  await row(other, 'SITE-2').getByRole('link', { name: 'Road SITE-2' }).click();
  await page.getByRole('link', { name: 'Partner dashboard' }).click();
  const recent = page.getByRole('region', { name: 'Recently opened' });
  await recent.getByRole('link', { name: 'Road SITE-2' }).waitFor();
  await page.getByRole('link', { name: 'My sites' }).click();
  await paste(page, '3');
  await expect.poll(() => titles(page)).toEqual(['Road SITE-1', 'Road SITE-2', 'Road SITE-3']);
});

withBrowser('takes 10,000 ids of a megabyte, and leaves the rest in the field', async () => {
  const { origin, upstream } = await start();
  const { page, faults } = await openPage(origin, '/sites');
  const text = range(1, 10_001)
    .flatMap((number) => [`SITE-${number}`, 'x'.repeat(85)])
    .join('\n');
  const field = page.getByRole('textbox', { name: /Ids, links/ });
  // As a paste does; typing it would take minutes.
  await field.evaluate((element, value) => void Object.assign(element, { value }), text);
  await page.getByRole('button', { name: 'Add to my sites' }).click();
  await page.getByText('10000 sites added.').waitFor();
  await page.getByText('And 9995 more lines.').waitFor();
  const left = await field.inputValue();
  expect(left.split('\n')).toHaveLength(10_002);
  expect(left).toContain('SITE-10001');
  await page.getByText('Too many sites for a link.').waitFor();
  expect(page.url()).toBe(`${origin}/sites`);
  await allLoaded(page);
  expect(upstream.paths()).toHaveLength(50);
  await page.goto(`${origin}/sites?page=200`);
  await table(page).getByText('Sites 9951 to 10000 of 10000').waitFor();
  await allLoaded(page);
  expect(upstream.paths()).toHaveLength(100);
  expect(faults).toEqual([]);
});

withBrowser('opens the sites of a conversation, once and live', async () => {
  const reference = await startReference();
  const env = { LIVE: 'on' };
  const origin = await serve((await startGateway(reference.url, env)).url, demoKeys.acme);
  const { page, faults } = await openPage(origin, `/conversation/${demoConversations.withGoneSite}`);
  await page.getByRole('link', { name: 'Show in a table' }).click();
  await row(page, demoSites().gone).locator('[data-code="NOT_FOUND"]').waitFor();
  expect(new URL(page.url()).searchParams.get('ids')).toContain(demoSites().gone);
  await page.getByRole('switch', { name: 'Live' }).click();
  await cost(page)
    .getByText(/polled every/)
    .waitFor();
  await row(page, demoSites().gone).locator('[data-code="NOT_FOUND"]').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

withBrowser('has no barrier, and fits desktop, tablet and phone', async () => {
  const reference = await startReference();
  const origin = await serve((await startGateway(reference.url)).url, demoKeys.acme);
  const ids = [...range(1001, 1012), '0999', ...Object.values(demoSites()).slice(3).map(encodeURIComponent)];
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults } = await openPage(origin, '/sites', { colorScheme });
    expect(await violationsOn(page)).toEqual([]);
    await screenshot(page, `sites-empty-${colorScheme}`);
    await paste(page, [...ids.map((id) => `/site/${id}`), 'Wilson Ave 12'].join('\n'));
    await row(page, 'SITE-1012').locator('.badge').waitFor();
    await row(page, 'SITE-1003').getByRole('button', { name: /^Pin/ }).click();
    await row(page, 'SITE-1001').getByRole('button', { name: /^Name/ }).click();
    expect(await violationsOn(page)).toEqual([]);
    for (const [name, width] of Object.entries({ desktop: 1280, tablet: 820, phone: 390 })) {
      await page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: name })
        .toBe(width);
      expect(await violationsOn(page)).toEqual([]);
      await screenshot(page, `sites-${name}-${colorScheme}`);
    }
    expect(faults).toEqual([]);
  }
});
