import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  looksOf,
  openTab,
  panelOf,
  picture,
  result,
  run,
  startPage,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';
import { sendJson, startUpstream } from '../../support/upstream.ts';

const outcome = async (page: Page) =>
  (await page.locator('.portico-outcome').innerText()).split(/\s*\n\s*/).filter((part) => part !== '');

/** From the run button to what came back, in pixels: both of one layout. */
const distance = `Math.abs(
  document.querySelector('.graphiql-execute-button').getBoundingClientRect().y -
    document.querySelector('.portico-outcome').getBoundingClientRect().y)`;

const widths = {
  desktop: { width: 1400, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
};
const looks = looksOf(widths);

withChromium.each(looks)(
  'says what came back beside the run button: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { page, errors, outside } = await startPage({ colorScheme, viewport });
    const shot = (state: string) => picture(page, `${name}-${colorScheme}-${state}`);
    await openTab(page, 'Dashboard');
    await run(page);
    await expect.poll(() => panelOf(page).bars.count()).toBe(4);
    await expect.poll(() => outcome(page)).toHaveLength(5);
    const [status, time, size, calls, quota] = await outcome(page);
    expect(status).toBe('200');
    expect(time).toMatch(/^[\d.]+ m?s$/);
    expect(size).toMatch(/^[\d.]+ k?B$/);
    expect(calls).toBe('4 calls');
    expect(quota).toMatch(/^[\d,]+ of [\d,]+ left, again full in \d+ s$/);
    const boxOf = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? expect.unreachable();
    const line = await boxOf('.portico-outcome');
    expect(line.x + line.width).toBeLessThanOrEqual(viewport.width);
    // The page is laid out again when the response is shown: both are to come to rest beside each other.
    await expect.poll(() => page.evaluate<number>(distance)).toBeLessThan(150);
    expect(await violationsOn(page)).toEqual([]);
    await shot('run');

    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'cURL' }).waitFor();
    // GraphiQL renders its menus outside of the landmarks, which axe finds moderate.
    expect((await violationsOn(page)).filter((found) => !found.startsWith('region: '))).toEqual([]);
    await shot('menu');
    await page.getByRole('menuitem', { name: 'cURL' }).click();
    await page.getByLabel('Copied text').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await shot('copied');
    await page.getByRole('button', { name: 'Close', exact: true }).click();

    await page.getByLabel('API key', { exact: true }).fill('wrong-key-000000000000');
    await run(page);
    await expect.poll(() => result(page)).toContain('FORBIDDEN');
    await expect.poll(async () => (await outcome(page))[0]).toBe('403');
    await page.getByText('FORBIDDEN What it means').click();
    const meaning = await boxOf('.portico-errors');
    expect(meaning.x + meaning.width).toBeLessThanOrEqual(viewport.width);
    // All of it is visible, without a scroll within the pane.
    expect(meaning.height).toBeLessThanOrEqual((await boxOf('.graphiql-footer')).height);
    expect(await violationsOn(page)).toEqual([]);
    await shot('error');

    await page.getByRole('button', { name: 'Show Saved operations' }).click();
    const saved = page.getByRole('region', { name: 'Saved operations' });
    await saved.getByRole('button', { name: 'Save', exact: true }).click();
    await saved.getByRole('button', { name: 'Delete Dashboard' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await shot('saved');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    if (name === 'desktop')
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(viewport.height);
    expect({ outside, errors: errors.filter((text) => !text.includes('403')) }).toEqual({
      outside: [],
      errors: [],
    });
  },
);

withChromium('counts no call that was not made', async () => {
  const upstream = await startUpstream((_, res) => sendJson(res, {}, 429, { 'retry-after': '600' }));
  const search = { query: '{ site(id: "SITE-1") { city } }' };
  const { page } = await startPage({ upstreamUrl: upstream.url, search });
  await run(page);
  await expect.poll(() => outcome(page)).toContain('1 call');
  await run(page);
  await expect.poll(() => outcome(page)).toContain('0 calls');
  await panelOf(page).report.getByText('rate-limited 1').waitFor();
  expect(await panelOf(page).report.getByRole('status').innerText()).toMatch(/^0 calls/);
  expect(upstream.requests).toHaveLength(1);
});
