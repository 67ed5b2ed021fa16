import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
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
import { bareSite, sendJson, startUpstream } from '../../support/upstream.ts';

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

/** The bar below the response. */
const barOf = (page: Page) => {
  const bar = page.getByRole('region', { name: 'Tools of the response' });
  return {
    bar,
    copy: bar.getByRole('button', { name: 'Copy response' }),
    search: bar.getByRole('button', { name: 'Search response' }),
    toggle: bar.getByRole('button', { name: 'Header fields' }),
    requestId: bar.getByRole('button', { name: 'Copy x-request-id' }),
    fields: bar.locator('dt'),
    note: bar.getByRole('status'),
  };
};

const looks = looksOf(desktopAndPhone);

withChromium.each(looks)(
  'shows the header fields of a response, copies it and searches in it: $name, $colorScheme',
  async ({ name, colorScheme, viewport }) => {
    const { origin, page, errors, paths } = await startPage({ ...clipboard, colorScheme, viewport });
    const { bar, copy, search, toggle, requestId, fields, note } = barOf(page);
    expect(await bar.count()).toBe(0);
    const [response] = await Promise.all([
      page.waitForResponse((candidate) => candidate.request().headers()['x-explain'] === 'report'),
      run(page),
    ]);
    await expect.poll(() => result(page)).toContain('"site": {');
    expect(paths).toEqual(['/v1/site/SITE-1001?include=clients']);
    const id = (await response.headerValue('x-request-id')) ?? expect.unreachable();
    expect(await requestId.innerText()).toBe(id);
    await requestId.click();
    await note.getByText('Copied the x-request-id.').waitFor();
    expect(await copied(page)).toBe(id);

    await copy.click();
    await note.getByText('Copied the response.').waitFor();
    // As it is shown: without the report. Chromium does not always keep the body of a response.
    const asked = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': demoKeys.acme },
      body: response.request().postData() ?? expect.unreachable(),
    });
    expect(JSON.parse(await copied(page))).toEqual(await asked.json());

    await toggle.click();
    const sent = await response.headersArray();
    expect(await fields.allInnerTexts()).toEqual(sent.map((field) => field.name.toLowerCase()).sort());
    expect(await bar.locator('dd').allInnerTexts()).toContain(id);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);

    await search.click();
    const find = page.locator('.result-window .find-widget.visible');
    await find.waitFor();
    await page.keyboard.type('accountManager');
    await page.locator('.result-window .currentFindMatch').first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await picture(page, `response-${name}-${colorScheme}`);
    await page.keyboard.press('Escape');
    await find.waitFor({ state: 'detached' });

    // Another tab has its own response.
    await openTab(page, 'ConversationView');
    await expect.poll(() => bar.count()).toBe(0);
    await openTab(page, 'Site');
    await expect.poll(() => requestId.innerText()).toBe(id);
    expect(errors).toEqual([]);
  },
);

withChromium('copies no response with the key in it', async () => {
  const upstream = await startUpstream((req, res) =>
    sendJson(res, { ...bareSite('SITE-1001'), city: req.headers['x-api-key'] }),
  );
  const search = { query: '{ site(id: "SITE-1001") { city } }' };
  const { page } = await startPage({ ...clipboard, upstreamUrl: upstream.url, search });
  await page.evaluate('navigator.clipboard.writeText("before")');
  await run(page);
  const { copy, note } = barOf(page);
  await copy.click();
  await note.getByText('Not copied: the response contains the key.').waitFor();
  expect(upstream.requests.map(({ apiKey }) => apiKey)).toEqual([demoKeys.acme]);
  expect(await copied(page)).toBe('before');
});
