import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  openTab,
  panelOf,
  result,
  run,
  startPage,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';

/** A line of an editor, in pixels. */
const LINE = 20;

const looks = [
  { name: 'desktop', colorScheme: 'light', viewport: { width: 1400, height: 900 } },
  { name: 'desktop', colorScheme: 'dark', viewport: { width: 1400, height: 900 } },
  { name: 'tablet', colorScheme: 'dark', viewport: { width: 820, height: 1180 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).boundingBox()) ?? expect.unreachable();

const editorAndResponse = (page: Page) =>
  Promise.all(['.graphiql-query-editor .graphiql-editor', '.result-window'].map((one) => boxOf(page, one)));

withChromium.each(looks)(
  'is legible, fits the screen, and has the response in the first one: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { page, errors } = await startPage({ colorScheme, viewport });
    const look = async () => {
      expect(await violationsOn(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    };
    const { bars, plan } = panelOf(page);
    await openTab(page, 'Dashboard');
    await expect.poll(() => plan.innerText()).toContain('2 + sites');
    await look();
    const before = await editorAndResponse(page);

    // A run moves neither the operation nor the response.
    await run(page);
    await expect.poll(() => bars.count()).toBe(4);
    await expect.poll(() => result(page)).toContain('"site": {');
    expect(await editorAndResponse(page)).toEqual(before);
    const [operation, response] = before;
    expect(operation?.height).toBeGreaterThanOrEqual(5 * LINE);
    expect((response?.y ?? 0) + 3 * LINE).toBeLessThanOrEqual(viewport.height);
    const calls = await boxOf(page, '.portico-waterfall');
    const panel = await boxOf(page, '.graphiql-plugin');
    expect(calls.y + calls.height).toBeLessThanOrEqual(panel.y + panel.height);
    if (viewport.width < 900) expect(calls.y).toBeGreaterThan(response?.y ?? 0);
    await look();

    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: 'cURL' }).click();
    await page.getByLabel('Copied text').waitFor();
    expect(await editorAndResponse(page)).toEqual(before);
    await look();
    await page.getByRole('button', { name: 'Close', exact: true }).click();

    await page.getByLabel('API key', { exact: true }).fill('wrong-key-000000000000');
    await run(page);
    await expect.poll(() => result(page)).toContain('FORBIDDEN');
    if (name === 'desktop') expect(await editorAndResponse(page)).toEqual(before);
    await look();
    expect(errors).toEqual([]);
  },
);
