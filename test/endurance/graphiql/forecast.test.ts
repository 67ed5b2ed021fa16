import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  looksOf,
  openTab,
  panelOf,
  picture,
  run,
  startPage,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';

/** What the panel forecasts, by its labels. */
async function forecastIn(forecast: Locator): Promise<Record<string, string>> {
  const [labels, calls] = await Promise.all([
    forecast.locator('dt').allInnerTexts(),
    forecast.locator('dd').allInnerTexts(),
  ]);
  return Object.fromEntries(labels.map((label, index) => [label, calls[index] ?? '']));
}

const partsOf = (page: Page) => {
  const forecast = page.getByRole('region', { name: 'Forecast' });
  return {
    forecast,
    seconds: forecast.getByRole('spinbutton', { name: 'every, in seconds' }),
    viewers: forecast.getByRole('spinbutton', { name: 'viewers' }),
    note: forecast.locator('.portico-note'),
  };
};

const looks = looksOf({
  desktop: { width: 1400, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
});

withChromium.each(looks)(
  'forecasts the calls of many viewers without a shift of the plan: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { page, errors, outside, paths } = await startPage({ colorScheme, viewport });
    const { plan, panel } = panelOf(page);
    const { forecast, seconds, viewers, note } = partsOf(page);
    await openTab(page, 'Dashboard');
    await expect.poll(() => plan.innerText()).toContain('2 + sites');
    await expect
      .poll(() => forecastIn(forecast))
      .toEqual({ alone: '4,800, at most 120,000', 'through the gateway': '536, at most 13,393' });
    expect(await note.innerText()).toBe('If a call takes 200 ms: a run with a report measures it.');
    expect(await violationsOn(page)).toEqual([]);
    const label = forecast.getByText('REST calls in a minute', { exact: true });
    expect(await label.evaluate((text) => text.getClientRects().length)).toBe(1);
    await picture(page, `${name}-${colorScheme}-forecast`);

    const table = panel.getByRole('table', { name: /planned/ });
    // On a narrow screen the panel is below the response: a field that is filled is scrolled into view.
    await viewers.scrollIntoViewIfNeeded();
    const before = await table.boundingBox();
    await seconds.fill('0.5');
    await viewers.fill('100000');
    await expect.poll(async () => (await forecastIn(forecast)).alone).toBe('24,000,000, at most 600,000,000');
    expect(await table.boundingBox()).toEqual(before);
    await viewers.fill('');
    await expect.poll(() => forecastIn(forecast)).toEqual({ alone: '–', 'through the gateway': '–' });
    expect(await note.innerText()).toBe('Enter 0.5 to 86,400 seconds, and 1 to 100,000 viewers.');
    expect(await viewers.getAttribute('aria-invalid')).toBe('true');
    expect(await seconds.getAttribute('aria-invalid')).toBe('false');
    expect(await table.boundingBox()).toEqual(before);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    // A forecast is arithmetic: it calls nothing.
    expect({ paths, errors, outside }).toEqual({ paths: [], errors: [], outside: [] });
  },
);

withChromium(
  'forecasts with the latency of the last run, from the keyboard, and keeps the fields',
  async () => {
    const { page, operations, errors } = await startPage();
    const { plan, bars } = panelOf(page);
    const { forecast, seconds, viewers, note } = partsOf(page);
    // The plan is requested again when the schema has come.
    await page.getByRole('button', { name: 'Schema', exact: true, disabled: false }).waitFor();
    await page.locator('.portico-plan[aria-busy=false]').waitFor();
    await expect.poll(() => plan.innerText()).toContain('1 call');
    const alone = async () => (await forecastIn(forecast)).alone;
    await seconds.focus();
    const planned = operations.length;
    await page.keyboard.press('ArrowUp');
    await expect.poll(alone).toBe('2,000');
    await page.keyboard.press('Tab');
    await page.keyboard.type('300');
    await expect.poll(alone).toBe('3,000');
    // The plan is the same.
    expect(operations).toHaveLength(planned);
    await page.reload();
    await expect.poll(alone).toBe('3,000');
    expect([await seconds.inputValue(), await viewers.inputValue()]).toEqual(['6', '300']);

    await run(page);
    await expect.poll(() => bars.count()).toBe(1);
    await plan.click();
    await expect
      .poll(() => note.innerText())
      .toMatch(/^If a call takes [\d.]+ ms, as the slowest one of the last run\.$/);
    const [ms] = /[\d.]+/.exec(await note.innerText()) ?? [];
    expect(await page.locator('.portico-time').innerText()).toContain(`${ms} ms`);
    expect(errors).toEqual([]);
  },
);

withChromium('forecasts a live query as its polls, too, with the interval of its document', async () => {
  const { page } = await startPage({ env: { LIVE: 'on', LIVE_INTERVAL_S: '1' } });
  const { forecast, seconds, viewers } = partsOf(page);
  await openTab(page, 'Live');
  await forecast.getByText(/^every 1 s,/).waitFor();
  expect(await seconds.count()).toBe(0);
  await viewers.fill('100');
  await expect
    .poll(() => forecastIn(forecast))
    .toEqual({ alone: '6,000', 'through the gateway': '289', 'as a live query': '55' });
  expect(await violationsOn(page)).toEqual([]);
});
