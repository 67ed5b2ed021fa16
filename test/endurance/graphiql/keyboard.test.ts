import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { panelOf, result, startPage, withChromium } from '../../support/browser.ts';

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
