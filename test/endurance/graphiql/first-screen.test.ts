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

/** A line of an editor, in pixels. */
const LINE = 20;

const screens = {
  phone: { width: 390, height: 844 },
  'phone on its side': { width: 844, height: 390 },
  'desktop at 200 %': { width: 700, height: 450 },
};
const looks = looksOf(screens);

const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).boundingBox()) ?? expect.unreachable();

withChromium.each(looks)(
  'has the operation and its response in the first screen, the REST calls below: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { page, errors } = await startPage({ colorScheme, viewport });
    await openTab(page, 'Dashboard');
    await run(page);
    await expect.poll(() => panelOf(page).bars.count()).toBe(4);
    await expect.poll(() => result(page)).toContain('"site": {');

    // What came back is one line, in the first screen with the operation and the first lines of the response.
    const outcome = await boxOf(page, '.portico-outcome');
    expect(outcome.height).toBeLessThan(2 * LINE);
    const operation = await boxOf(page, '.graphiql-query-editor .graphiql-editor');
    expect(operation.height).toBeGreaterThanOrEqual(5 * LINE);
    const response = await boxOf(page, '.result-window');
    expect(response.y).toBeGreaterThan(operation.y + operation.height);
    expect(response.y + 3 * LINE).toBeLessThanOrEqual(viewport.height);
    const calls = await boxOf(page, '.portico-cost');
    expect(calls.y).toBeGreaterThanOrEqual(response.y + response.height);
    expect(await page.evaluate('[scrollY, document.documentElement.scrollWidth]')).toEqual([
      0,
      viewport.width,
    ]);
    expect(await violationsOn(page)).toEqual([]);
    await picture(page, `first-${name}-${colorScheme}`, { fullPage: false });

    // The variables are folded, and the panel is closed and opened where it is.
    const variables = page.getByRole('region', { name: 'Variables' });
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    await expect.poll(async () => (await variables.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hide REST calls' }).click();
    await page.locator('.portico-cost').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show REST calls' }).click();
    await expect.poll(async () => (await boxOf(page, '.portico-cost')).y).toBeLessThan(viewport.height);
    expect(await violationsOn(page)).toEqual([]);
    expect(errors).toEqual([]);
  },
);
