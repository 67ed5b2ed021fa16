import type { Route } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import {
  desktopAndPhone,
  looksOf,
  openBrowser,
  picture,
  result,
  run,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';
import { openGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';

/** In each frame: collects the texts that are shown in the font of a page without a style. */
const watchTexts = `
  window.unstyled = [];
  const look = () => {
    if (document.body) {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { parentElement: parent, data } = texts.currentNode;
        if (data.trim() === '' || !parent.checkVisibility() || parent.closest('noscript')) continue;
        if (/times|^serif/i.test(getComputedStyle(parent).fontFamily)) window.unstyled.push(data.trim().slice(0, 40));
      }
    }
    requestAnimationFrame(look);
  };
  look();
`;

/** A page whose files come only when they are released, by a part of their names. */
async function startSlowly(options: Parameters<typeof openBrowser>[1] = {}) {
  const reference = await startReference();
  const example = { apiKey: demoKeys.acme, siteId: demoSites().main, conversationId: demoConversations.main };
  const gateway = await openGateway(reference.url, {}, example);
  onTestFinished(gateway.close);
  const opened = await openBrowser(gateway.origin, options);
  const { page } = opened;
  await page.addInitScript(watchTexts);
  const held: Route[] = [];
  let released = /^$/;
  await page.route(/\/graphiql\//, (route) => {
    if (released.test(route.request().url())) return route.continue();
    held.push(route);
  });
  const release = async (names: RegExp) => {
    released = names;
    for (const route of held.splice(0)) {
      if (names.test(route.request().url())) await route.continue();
      else held.push(route);
    }
  };
  await page.goto(`${gateway.origin}/graphql`, { waitUntil: 'commit' });
  return { ...opened, ...gateway, paths: reference.paths, release, held };
}

withChromium.each(looksOf(desktopAndPhone))(
  'shows the bar and its progress before any other file: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { page, held, release } = await startSlowly({ viewport, colorScheme, reducedMotion: 'reduce' });
    await page.getByLabel('API key').waitFor();
    await page.getByRole('progressbar', { name: 'Loading GraphiQL' }).waitFor();
    // Without motion, the whole of it is coloured.
    const bar = "getComputedStyle(document.querySelector('[role=progressbar]'), '::after')";
    expect(await page.evaluate(`[${bar}.width, ${bar}.height]`)).toEqual([`${viewport.width}px`, '3px']);
    expect(await page.evaluate(`${bar}.backgroundColor`)).toMatch(/^rgb\(/);
    await expect.poll(() => held.some((route) => route.request().url().endsWith('.css'))).toBe(true);
    // Painted, though no file has come.
    await expect
      .poll(() => page.evaluate<number>("performance.getEntriesByType('paint').length"))
      .toBeGreaterThan(0);
    expect(await page.evaluate<number>("performance.getEntriesByType('resource').length")).toBe(0);
    await picture(page, `loading-${name}-${colorScheme}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    // The style comes, and no script.
    await release(/\.(css|svg|woff2)$/);
    await expect
      .poll(() => page.evaluate("document.querySelector('link[rel=stylesheet]').sheet !== null"))
      .toBe(true);
    await picture(page, `loading-styled-${name}-${colorScheme}`);
    await release(/./);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    await picture(page, `loading-loaded-${name}-${colorScheme}`);
    expect(await page.locator('#loading').count()).toBe(0);
    expect(await page.evaluate('window.unstyled')).toEqual([]);
  },
);

withChromium('waits for the style, and sends the key that was typed meanwhile', async () => {
  const { page, release, paths, operations, errors } = await startSlowly();
  const key = demoKeys.globex;
  await page.getByLabel('API key').click();
  await page.keyboard.type(key.slice(0, 8));
  // All but the style: nothing is replaced, and no text is shown without it.
  await release(/\.(js|svg|woff2)$/);
  await page.keyboard.type(key.slice(8, 12));
  expect(await page.locator('#loading').count()).toBe(1);
  await release(/./);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  // The focus moved to the field of the page, behind what was typed.
  await page.keyboard.type(key.slice(12));
  expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe(key);
  await run(page);
  await expect.poll(() => result(page)).toContain('"site"');
  expect(operations.filter(({ explain }) => explain === 'report').map((sent) => sent.key)).toEqual([key]);
  expect(paths.length).toBeGreaterThan(0);
  expect(await page.evaluate('window.unstyled')).toEqual([]);
  expect(await violationsOn(page)).toEqual([]);
  expect(errors).toEqual([]);
});
