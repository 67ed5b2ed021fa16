import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { pageKeys } from '../../../graphiql/keyboard/page-keys.ts';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import {
  marks,
  openTab,
  panelOf,
  picture,
  result,
  run,
  startPage,
  tabsOf,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';

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

/** The hint on the frame that has the focus or contains it. */
const hint = (page: Page) =>
  page.evaluate<string>(
    `getComputedStyle(document.querySelector(':is(.graphiql-editor, .result-window):focus-within'), '::after').content`,
  );

const operation = /^Operation\. Enter edits/;
const editor = /^Operation\. Escape leaves/;
const query = 'query Typed { site(id: "SITE-1001") { city } }';

withChromium('needs no pointer: key, operation, run, panel, share, copy, save and a new tab', async () => {
  const { page, operations, errors, paths } = await startPage({
    apiKey: '',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { keyboard } = page;
  const { madeCalls, plan } = panelOf(page);

  await moveTo(page, /^api-key$/);
  await keyboard.type(demoKeys.acme);

  await moveTo(page, operation);
  expect(await hint(page)).toContain('Enter edits');
  await picture(page, 'keyboard-frame');
  await keyboard.press('Enter');
  expect(await focused(page)).toMatch(editor);
  expect(await hint(page)).toContain('Esc leaves');
  await keyboard.press('Control+A');
  await keyboard.insertText(query);
  await picture(page, 'keyboard-editor');
  await keyboard.press('Tab');
  expect(await focused(page)).toMatch(editor);
  await keyboard.press('Escape');
  expect(await focused(page)).toMatch(operation);
  await expect.poll(() => plan.innerText()).toContain('1 call');

  // From the frame, both ways.
  await moveTo(page, /^Variables\. Enter edits/);
  await moveTo(page, /^Execute query/, 'Shift+Tab');
  await keyboard.press('Enter');
  await expect.poll(() => result(page)).toMatch(/"city": "/);
  expect(paths).toEqual(['/v1/site/SITE-1001']);
  expect(operations).toContainEqual(expect.objectContaining({ explain: 'report', key: demoKeys.acme }));
  await moveTo(page, /^Result Window$/);
  await keyboard.press('Enter');
  expect(await focused(page)).toMatch(/^Response\. Escape leaves/);
  await keyboard.press('Escape');
  expect(await focused(page)).toBe('Result Window');

  await expect.poll(() => madeCalls.count()).toBe(1);
  await moveTo(page, /^\/v1\/site\/SITE-1001/, 'Shift+Tab');
  await expect.poll(() => marks(page).count()).toBeGreaterThan(0);
  await moveTo(page, /^Plan/, 'Shift+Tab');
  await keyboard.press('Enter');
  await moveTo(page, /^report$/, 'Shift+Tab');
  await keyboard.press('ArrowLeft');
  expect(await focused(page)).toBe('plan');

  const link = page.getByLabel('Link to this operation');
  await moveTo(page, /^Share$/, 'Shift+Tab');
  await keyboard.press('Enter');
  await link.waitFor();
  await moveTo(page, /^Link to this operation$/);
  expect(new URL(await link.inputValue()).searchParams.get('query')).toContain('query Typed');
  expect(await violationsOn(page)).toEqual([]);
  await keyboard.press('Escape');
  await expect.poll(() => link.count()).toBe(0);
  expect(await focused(page)).toBe('Share');

  await moveTo(page, /^Copy as/);
  await keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'cURL' }).waitFor();
  await moveTo(page, /^cURL$/, 'ArrowDown');
  await keyboard.press('Enter');
  await page.getByLabel('Copied text').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('curl ');
  // The menu gives the focus back a moment after it has closed.
  await expect.poll(() => focused(page)).toContain('Copy as');
  await moveTo(page, /^Close$/);
  await keyboard.press('Enter');
  expect(await focused(page)).toContain('Copy as');

  await moveTo(page, /^Show Saved operations$/, 'Shift+Tab');
  await keyboard.press('Enter');
  await moveTo(page, /^saved-name$/);
  await keyboard.press('Control+A');
  await keyboard.type('By keyboard');
  await keyboard.press('Enter');
  await moveTo(page, /^By keyboard$/);
  await keyboard.press('Enter');
  await expect.poll(() => focused(page)).toMatch(editor);
  await keyboard.press('Escape');
  expect(await focused(page)).toMatch(operation);

  await moveTo(page, /^New tab$/, 'Shift+Tab');
  const count = await tabsOf(page).count();
  await keyboard.press('Enter');
  await expect.poll(() => tabsOf(page).count()).toBe(count + 1);
  await expect.poll(() => focused(page)).toMatch(editor);
  await keyboard.insertText('{ health { reachable } }');
  await expect
    .poll(() => page.locator('.graphiql-query-editor .view-lines').innerText())
    .toMatch(/^\{\s+health\s+\{\s+reachable\s+\}\s+\}$/);
  expect(errors).toEqual([]);
});

withChromium('closes by Escape what is open in the editor, before it leaves the editor', async () => {
  const { page } = await startPage();
  const { keyboard } = page;
  const suggestions = page.locator('.suggest-widget.visible');
  const search = page.locator('.find-widget.visible');
  const hover = page.locator('.monaco-hover:visible').filter({ hasText: 'Query.site' });
  const isInEditor = async () => expect(await focused(page)).toMatch(editor);
  await moveTo(page, operation);
  await keyboard.press('Enter');

  await keyboard.press('Control+Space');
  await suggestions.waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => suggestions.count()).toBe(0);
  await isInEditor();

  await keyboard.press('Control+F');
  await search.waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => search.count()).toBe(0);
  await isInEditor();

  await page.locator('.graphiql-query-editor .view-line').getByText('site', { exact: true }).hover();
  await hover.waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => hover.count()).toBe(0);
  await isInEditor();

  await keyboard.press('Control+A');
  await keyboard.press('Escape');
  await isInEditor();
  await keyboard.press('Escape');
  expect(await focused(page)).toMatch(operation);
});

/** What the pointer cannot reach at its centre, because something else is above it. */
const coveredControls = `[...document.querySelectorAll(
  'main :is(button, input, summary, a, .graphiql-editor, .result-window), header :is(button, input), .portico-banner button'
)].filter((control) => {
  if (!control.checkVisibility({ visibilityProperty: true })) return false;
  // The choices of the switch are clicked by their labels.
  const clicked = control.closest('.portico-switch label') ?? control;
  clicked.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const { x, y, width, height } = clicked.getBoundingClientRect();
  if (width === 0 || height === 0) return false;
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return !clicked.contains(top);
}).map((control) => control.ariaLabel || control.innerText || control.outerHTML.slice(0, 80))`;

withChromium.each([
  ['desktop', { width: 1400, height: 900 }],
  ['tablet', { width: 820, height: 1180 }],
  ['phone', { width: 390, height: 844 }],
])('has boxes of Share and Copy as that cover nothing and close: %s', async (name, viewport) => {
  const { page } = await startPage({ viewport });
  await openTab(page, 'Dashboard');
  await run(page);
  await expect.poll(() => panelOf(page).bars.count()).toBe(4);
  // A busy machine has not drawn all of the page yet.
  const covered = () => page.evaluate(coveredControls);
  await expect.poll(covered).toEqual([]);

  const open = {
    share: () => page.getByRole('button', { name: 'Share' }).click(),
    copy: async () => {
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.getByRole('menuitem', { name: 'cURL' }).click();
      await expect.poll(() => focused(page)).toContain('Copy as');
    },
  };
  const boxes = page.locator('.portico-copied');
  for (const [kind, openBox] of Object.entries(open)) {
    await openBox();
    await boxes.waitFor();
    await picture(page, `box-${name}-${kind}`);
    await expect.poll(covered).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await violationsOn(page)).toEqual([]);
    // A click in it, to select a part.
    await boxes.locator('textarea').click();
    expect(await boxes.count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => boxes.count()).toBe(0);

    await openBox();
    await boxes.waitFor();
    await page.getByRole('radio', { name: 'Plan' }).locator('..').click();
    await expect.poll(() => boxes.count()).toBe(0);
    // The click has its effect, though the page moves.
    expect(await page.getByRole('radio', { name: 'Plan' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'Report' }).locator('..').click();

    await openBox();
    await boxes.waitFor();
    await openTab(page, 'Dashboard');
    await expect.poll(() => boxes.count()).toBe(0);
  }

  // One box at a time; and one Escape closes the box, the next one leaves the editor.
  await open.share();
  await boxes.waitFor();
  await open.copy();
  await page.getByLabel('Copied text').waitFor();
  expect(await boxes.count()).toBe(1);
  await page.locator('.graphiql-query-editor .graphiql-editor').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => boxes.count()).toBe(0);
  expect(await focused(page)).toMatch(editor);
  await page.keyboard.press('Escape');
  expect(await focused(page)).toMatch(operation);
});

withChromium('lists the keys in the page as in docs/graphiql.md', async () => {
  const { page } = await startPage();
  await page.getByRole('button', { name: 'Open short keys dialog' }).click();
  const rows = page.getByRole('dialog').locator('tbody tr');
  await rows.first().waitFor();
  const listed = await Promise.all(
    (await rows.all()).map(async (row) => {
      const keys = await row.locator('.graphiql-key').allInnerTexts();
      return `| ${keys.join(' + ')} | ${await row.locator('td').last().innerText()} |`;
    }),
  );
  const added = Object.entries(pageKeys).map(([title, key]) => `| ${key} | ${title} |`);
  expect(listed.slice(0, added.length)).toEqual(added);
  const text = readFileSync('docs/graphiql.md', 'utf8');
  for (const row of listed) expect(text).toContain(row);
  await picture(page, 'keyboard-list');
});

/** What the keyboard visits, once each, from the key field of the header on. */
async function visitsOf(page: Page): Promise<string[]> {
  const names: string[] = [];
  await page.getByLabel('API key', { exact: true }).focus();
  for (let n = 0; n < 80; n += 1) {
    await page.keyboard.press('Tab');
    const name = await focused(page);
    if (name === names[0]) break;
    names.push(name);
  }
  return names;
}

withChromium.each([
  ['desktop', { width: 1400, height: 900 }, ['report', 'New tab', 'Result Window']],
  ['tablet', { width: 820, height: 1180 }, ['New tab', 'Result Window', 'report']],
  ['phone', { width: 390, height: 844 }, ['New tab', 'Result Window', 'report']],
] as const)('visits the REST calls where they are seen: %s', async (name, viewport, expected) => {
  const { page, errors } = await startPage({ viewport });
  const { bars } = panelOf(page);
  await run(page);
  await expect.poll(() => bars.count()).toBe(1);
  const visits = await visitsOf(page);
  expect(visits.filter((visit) => (expected as readonly string[]).includes(visit))).toEqual(expected);
  const tops = await page.evaluate<number[]>(
    "['.graphiql-session-header', '.result-window', '.graphiql-plugin'].map((one) => document.querySelector(one).getBoundingClientRect().top + scrollY)",
  );
  if (name !== 'desktop') expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  await picture(page, `order-${name}`);

  // Another panel is above the operation on a narrow screen, and the calls return to their place.
  await page.getByRole('button', { name: 'Show Saved operations' }).click();
  await page.locator('#saved-name').focus();
  expect(await page.locator('.graphiql-main > :first-child').getAttribute('class')).toBe('graphiql-plugin');
  await page.getByRole('button', { name: 'Show REST calls' }).click();
  await page.locator('.portico-cost').waitFor();
  const places = await page
    .locator('.graphiql-main > *')
    .evaluateAll((all) => all.map((one) => one.className));
  expect(places.indexOf('graphiql-plugin')).toBe(name === 'desktop' ? 0 : places.length - 1);
  expect(errors).toEqual([]);
});

withChromium('moves the REST calls with the width of the window, and leaves them the focus', async () => {
  const { page, errors } = await startPage();
  const place = () =>
    page
      .locator('.graphiql-main > *')
      .evaluateAll((all) => all.findIndex((one) => one.classList.contains('graphiql-plugin')));
  await page.getByRole('spinbutton', { name: 'viewers' }).focus();
  expect(await place()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(place).toBeGreaterThan(0);
  expect(await focused(page)).toBe('viewers');
  await page.setViewportSize({ width: 1400, height: 900 });
  await expect.poll(place).toBe(0);
  expect(await focused(page)).toBe('viewers');
  expect(errors).toEqual([]);
});
