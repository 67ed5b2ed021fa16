import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { violationsOn, withChromium } from '../../support/browser.ts';
import { useDashboard } from '../../support/dashboard.ts';
import { openGateway, startGateway } from '../../support/gateway.ts';
import { bareSite, startCity, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();
const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };

const fields = { address1: 'Road 1', clients: [{ id: 'CL-1', name: 'Ada Byron' }] };

async function start(env: NodeJS.ProcessEnv = {}) {
  const { state, upstream } = await startCity(fields);
  const gateway = await startGateway(upstream.url, { ...settings, ...env });
  return { state, upstream, gateway, origin: await serve(gateway.url) };
}

interface LivePage extends BrowserContextOptions {
  /** The test moves the time of the page. */
  clock?: boolean;
}

/** Opens a page with the switch turned on before. */
async function openLivePage(origin: string, path: string, { clock = false, ...options }: LivePage = {}) {
  const opened = await openPage(origin, '/', options);
  if (clock) await opened.page.clock.install();
  await opened.page.evaluate("localStorage.setItem('portico-dashboard.live', 'true')");
  await opened.page.goto(`${origin}${path}`);
  return opened;
}

const liveSwitch = (page: Page) => page.getByRole('switch', { name: 'Live' });
const note = (page: Page) => page.locator('#live-note');
const says = (page: Page, text: RegExp) => expect.poll(() => note(page).innerText()).toMatch(text);
const checked = /^Checked \d+ seconds? ago/;

withChromium('shows a change without a reload, moves nothing, and ends when it is switched off', async () => {
  const { state, gateway, origin } = await start();
  const { page, faults } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Ada Byron').waitFor();
  const boxes = () =>
    Promise.all([
      page.getByRole('textbox').boundingBox(),
      page.getByRole('heading', { level: 1 }).boundingBox(),
    ]);
  const before = await boxes();
  await liveSwitch(page).focus();
  await page.keyboard.press('Space');
  await says(page, checked);
  expect(await boxes()).toEqual(before);
  state.city = 'Salem';
  await page.getByText('Salem').waitFor();
  expect(await page.getByText('Ada Byron').count()).toBe(1);
  expect(gateway.gauge('portico_live_streams')).toBe(1);
  expect(await violationsOn(page)).toEqual([]);

  await page.reload();
  await says(page, checked);
  expect(await liveSwitch(page).getAttribute('aria-checked')).toBe('true');
  await liveSwitch(page).click();
  await expect.poll(() => gateway.gauge('portico_live_streams')).toBe(0);
  await page.getByText('Salem').waitFor();
  await page.getByText('2 REST calls').waitFor();
  expect(await note(page).innerText()).toBe('');
  expect(faults).toEqual([]);
});

withChromium('says once for how long the data was not checked while polls fail', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { state, origin } = await start();
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await says(page, checked);
  const saysAfterHeartbeat = (text: RegExp) =>
    expect
      .poll(() => {
        vi.advanceTimersByTime(12_000);
        return note(page).innerText();
      })
      .toMatch(text);
  state.status = 500;
  await saysAfterHeartbeat(/^Not checked for \d+ (second|minute)s?/);
  expect(await page.locator('body').innerText()).not.toMatch(/polled|ago/);
  expect(await violationsOn(page)).toEqual([]);
  state.status = 200;
  await saysAfterHeartbeat(checked);
});

withChromium('says that nothing was read if nothing ever was', async () => {
  const { state, origin } = await start();
  state.status = 500;
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await page.locator('[data-code="UPSTREAM_UNAVAILABLE"]').waitFor();
  await says(page, /^Nothing read yet/);
});

withChromium('says that the connection is lost, and connects again', async () => {
  const { state, upstream } = await startCity(fields);
  const first = await openGateway(upstream.url, settings);
  const { page } = await openLivePage(await serve(first.url), '/site/SITE-1');
  await says(page, checked);
  await first.drain(10_000);
  const lost = /^Connecting again… Checked \d+ seconds? ago/;
  await says(page, lost);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOn(page)).toEqual([]);
  // The backend responds in place of the gateway, and what was read stays.
  await page.waitForResponse((response) => response.status() === 502);
  await says(page, lost);
  expect(await page.getByText('Bend').count()).toBe(1);
  state.city = 'Salem';
  await startGateway(upstream.url, { ...settings, PORT: new URL(first.url).port });
  await page.getByText('Salem').waitFor();
  await says(page, checked);
});

withChromium('takes silence for a lost connection, and reads the age of stale data', async () => {
  const data = { live: { site: { __typename: 'Site', ...bareSite('SITE-1') } } };
  let extensions: object = { quota: { remaining: 5997, limit: null, resetSeconds: null } };
  let streams = 0;
  const gateway = await startUpstream((_req, res) => {
    streams += 1;
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    res.write(`event: next\ndata: ${JSON.stringify({ data, extensions })}\n\n`);
  });
  const { page } = await openLivePage(await serve(`${gateway.url}/graphql`), '/site/SITE-1', { clock: true });
  await says(page, checked);
  await page.getByText('Rate limit').click();
  await page.getByText('5,997 left').waitFor();
  await page.clock.fastForward(30_000);
  await says(page, /^Checked 3\d seconds ago/);
  expect(streams).toBe(1);
  extensions = { stale: [{ path: '/v1/site/SITE-1', ageSeconds: 65 }] };
  await page.clock.fastForward(11_000);
  await says(page, /^Connecting again… Checked 4\d seconds ago/);
  await page.clock.fastForward(2_000);
  await says(page, /^Not checked for 1 minute/);
  expect(streams).toBe(2);
  // An event without a quota leaves the last one.
  await page.getByText('5,997 left').waitFor();
});

withChromium('shows that the key is rejected, and sends no further request with it', async () => {
  const { state, origin } = await start();
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await says(page, checked);
  state.status = 403;
  await page.locator('[data-code="FORBIDDEN"]').waitFor();
  await says(page, /^The stream has ended.$/);
  expect(await page.getByText('Bend').count()).toBe(0);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.reload();
  await page.locator('[data-code="FORBIDDEN"]').waitFor();
  await says(page, /^The stream has ended.$/);
  expect(requests.filter((url) => url.endsWith('/graphql'))).toHaveLength(1);
});

withChromium('explains that a gateway has no live queries, and reads without', async () => {
  const { origin } = await start({ LIVE: 'off' });
  const { page, faults } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Ada Byron').waitFor();
  await liveSwitch(page).click();
  await says(page, /^Not available: the gateway runs without LIVE=on.$/);
  expect(await liveSwitch(page).getAttribute('aria-checked')).toBe('false');
  expect(await page.getByText('Ada Byron').count()).toBe(1);
  expect(faults).toEqual([]);
});
