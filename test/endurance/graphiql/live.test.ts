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
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const env = { LIVE: 'on', LIVE_INTERVAL_S: '1' };
const stop = (page: Page) => page.getByRole('button', { name: /Stop query/ }).click();

/** A REST API with one city, which the test changes. */
async function startCity() {
  const state = { city: 'Bend', status: 200 };
  const upstream = await startUpstream((req, res) => {
    const site = { ...bareSite(siteFromPath(req.url ?? '').id), city: state.city, clients: [] };
    sendJson(res, site, state.status);
  });
  return { state, upstream };
}

withChromium('shows the results of a live query as they come, until it is stopped', async () => {
  const { state, upstream } = await startCity();
  const measured = { ...env, LIVE_STALE_S: '1' };
  const { page, operations, errors, gauge } = await startPage({ env: measured, upstreamUrl: upstream.url });
  const { panel, plan, report } = panelOf(page);
  await openTab(page, 'Live');
  await expect.poll(() => plan.innerText()).toMatch(/1 call\s+every 1 s/);
  await panel.getByText(/^60 calls a minute, for all streams together/).waitFor();
  await run(page);
  await expect.poll(() => result(page)).toContain('"city": "Bend"');
  const status = page.locator('.portico-live');
  expect(await status.innerText()).toMatch(/^Live: 1 event, the last at \d.*; checked at \d/);
  state.city = 'Salem';
  await expect.poll(() => result(page)).toContain('"city": "Salem"');
  expect(await result(page)).not.toContain('Bend');
  await expect.poll(() => status.innerText()).toMatch(/^Live: 2 events, the last at \d.*\d\D*$/);
  state.status = 500;
  await expect
    .poll(() => status.innerText())
    .toMatch(/^Live: 3 events, .* Stale: \/v1\/site\/SITE-1001\?include=clients is as of \d/);
  expect(operations.map(({ explain }) => explain)).not.toContain('report');
  expect(await page.locator('.portico-outcome').innerText()).toMatch(/^200\s+[\d.]+ m?s\s+[\d.]+ k?B/);
  await report.getByText(/A live query has no report/).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  expect(gauge('portico_live_streams')).toBe(1);
  await stop(page);
  await expect.poll(() => gauge('portico_live_streams')).toBe(0);
  expect(await result(page)).toContain('"city": "Salem"');
  expect(await status.innerText()).toMatch(/^Ended: 3 events/);
  expect(errors).toEqual([]);
});

withChromium('says for how long its data was not checked while polls fail', async () => {
  const { state, upstream } = await startCity();
  const { page } = await startPage({ env, upstreamUrl: upstream.url });
  await openTab(page, 'Live');
  await run(page);
  await expect.poll(() => result(page)).toContain('"city": "Bend"');
  const status = page.locator('.portico-live');
  state.status = 500;
  // With the next heartbeat.
  await expect.poll(() => status.innerText()).toMatch(/^Live: 1 event, .* Not checked for \d+ s\.$/);
  expect(await violationsOn(page)).toEqual([]);
  const checkedAt = async () => /checked at (.*?)\./.exec(await status.innerText())?.[1];
  const failing = await checkedAt();
  state.status = 200;
  await expect.poll(() => status.innerText()).not.toContain('Not checked');
  // No event came, and the time of the last poll that succeeded is another one.
  expect(await checkedAt()).not.toBe(failing);
  expect(await status.innerText()).toMatch(/^Live: 1 event/);
});

withChromium('shows why a live query is rejected', async () => {
  const { state, upstream } = await startCity();
  state.status = 403;
  const { page } = await startPage({ env, upstreamUrl: upstream.url });
  await openTab(page, 'Live');
  await run(page);
  await expect.poll(() => result(page)).toContain('"code": "FORBIDDEN"');
  expect(await page.locator('#api-key-problem').innerText()).toContain('The REST API rejected this key');
  await page.getByRole('button', { name: /Execute query/ }).waitFor();
});

withChromium.each(['light', 'dark'] as const)('is legible on a phone: %s', async (colorScheme) => {
  const { upstream } = await startCity();
  const viewport = { width: 390, height: 844 };
  const { page } = await startPage({ env, upstreamUrl: upstream.url, viewport, colorScheme });
  await openTab(page, 'Live');
  await run(page);
  await expect.poll(() => result(page)).toContain('"city": "Bend"');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOn(page)).toEqual([]);
});
