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
import { createGate } from '../../support/gate.ts';
import { bareSite, sendJson, sendSite, startUpstream } from '../../support/upstream.ts';

withChromium('tells a key that lacks a scope from one that opens nothing', async () => {
  const { url } = await startUpstream((req, res) => {
    const isKnown = req.headers['x-api-key'] !== 'another-key';
    if (isKnown && req.url?.startsWith('/v1/site/')) sendSite(req, res);
    else sendJson(res, {}, 403);
  });
  const { page } = await startPage({ upstreamUrl: url, env: { LIVE: 'on' } });
  const problem = page.locator('#api-key-problem');
  await run(page);
  await expect.poll(() => result(page)).toContain('"site": {');
  expect(await problem.innerText()).toBe('');
  await openTab(page, 'ConversationView');
  await run(page);
  await problem.getByText('This key has opened sites, but not this: it lacks a scope').waitFor();
  await page.getByLabel('API key', { exact: true }).fill('another-key');
  expect(await problem.innerText()).toBe('');
  await openTab(page, 'Live');
  await run(page);
  await problem.getByText('The REST API rejected this key').waitFor();
});

withChromium('blames no other key than the one that an operation was sent with', async () => {
  const held = createGate();
  const { url, received } = await startUpstream((_, res) => held.promise.then(() => sendJson(res, {}, 403)));
  const { page } = await startPage({ upstreamUrl: url });
  const problem = page.locator('#api-key-problem');
  await run(page);
  await received(1);
  await page.getByLabel('API key', { exact: true }).fill('another-key');
  held.open();
  await expect.poll(() => result(page)).toContain('FORBIDDEN');
  expect(await problem.innerText()).toBe('');

  // That of the headers takes the place of the one of the field, and is explained above the response.
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await page.locator('section[aria-label=Headers] .graphiql-editor:not(.hidden) .view-line').first().click();
  await page.keyboard.insertText('{ "x-api-key": "of-headers" }');
  await run(page);
  await received(2);
  await page.getByText('FORBIDDEN What it means').waitFor();
  expect(await problem.innerText()).toBe('');
});

/** A REST API that is deprecated, and says how many calls are left. */
async function startDeprecated() {
  const state = { remaining: 5997, city: 'Bend' };
  const upstream = await startUpstream((_, res) => {
    sendJson(res, { ...bareSite('SITE-1001'), city: state.city, clients: [] }, 200, {
      ratelimit: `"default";r=${state.remaining};t=41`,
      'ratelimit-policy': '"default";q=6000;w=60',
      deprecation: '@1767225600',
      sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
      link: '<https://example.com/end>; rel="sunset"',
    });
  });
  return { state, upstreamUrl: upstream.url };
}

withChromium('says what is left of the rate limit, and warns below a fifth', async () => {
  const { state, upstreamUrl } = await startDeprecated();
  const { page } = await startPage({ upstreamUrl, env: { LIVE: 'on', LIVE_INTERVAL_S: '1' } });
  const { report } = panelOf(page);
  const live = page.locator('.portico-live');
  await run(page);
  await report.getByText('Rate limit: 5,997 of 6,000 left, again full in 41 s.', { exact: true }).waitFor();
  await openTab(page, 'Live');
  await run(page);
  await live.getByText('Rate limit: 5,997 of 6,000 left, again full in 41 s.').waitFor();
  Object.assign(state, { remaining: 1199, city: 'Salem' });
  await live.getByText('again full in 41 s. Less than a fifth.').waitFor();
  expect(await result(page)).not.toContain('extensions');
  expect(await violationsOn(page)).toEqual([]);
});

withChromium('says that the REST API is deprecated, until that is dismissed in this tab', async () => {
  const { page } = await startPage(await startDeprecated());
  const banner = page.locator('.portico-banner');
  await run(page);
  await banner.getByText(/is deprecated since 1 January 2026 and ends on 31 December 2026\./).waitFor();
  const link = banner.getByRole('link', { name: 'More about it' });
  expect(await link.getAttribute('href')).toBe('https://example.com/end');
  expect(await violationsOn(page)).toEqual([]);
  await banner.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await run(page);
  await panelOf(page).bars.first().waitFor();
  expect(await banner.count()).toBe(0);
});
