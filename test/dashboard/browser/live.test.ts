import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { violationsOn } from '../../support/browser.ts';
import { screenshot, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { openGateway, startGateway } from '../../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();
const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };

/** A REST API that the test changes: the city of every site, and the status of its responses. */
async function startCity() {
  const state = { city: 'Bend', status: 200 };
  const upstream = await startUpstream((req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    const relations = include.length > 0 && { clients: [{ id: 'CL-1', name: 'Ada Byron' }], projects: [] };
    const site = { ...bareSite(id), address1: 'Road 1', city: state.city, ...relations };
    sendJson(res, site, state.status);
  });
  return { state, upstream };
}

async function start(env: NodeJS.ProcessEnv = {}) {
  const { state, upstream } = await startCity();
  const gateway = await startGateway(upstream.url, { ...settings, ...env });
  return { state, upstream, gateway, origin: await serve(gateway.url) };
}

interface LivePage extends BrowserContextOptions {
  /** Whether the test moves the time of the page. */
  clock?: boolean;
}

/** Opens a page with the switch turned on before. */
async function openLivePage(origin: string, path: string, { clock = false, ...options }: LivePage = {}) {
  const opened = await openPage(origin, '/', options);
  if (clock) await opened.page.clock.install();
  await opened.page.evaluate("localStorage.setItem('portico-dashboard.live', 'on')");
  await opened.page.goto(`${origin}${path}`);
  return opened;
}

const liveSwitch = (page: Page) => page.getByRole('switch', { name: 'Live' });
const note = (page: Page) => page.locator('#live-note');
const lost = /^Connection lost. Connecting again… Data is \d+ seconds? old.$/;
const updated = (page: Page) =>
  note(page).getByText(/^(Updated \d+ seconds? ago|Unchanged for \d+ seconds?)$/);

withBrowser('shows a change without a reload, and ends the stream when it is switched off', async () => {
  const { state, gateway, origin } = await start();
  const { page, faults } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Ada Byron').waitFor();
  await liveSwitch(page).focus();
  await page.keyboard.press('Space');
  await updated(page).waitFor();
  state.city = 'Salem';
  await page.getByText('Salem').waitFor();
  expect(await page.getByText('Ada Byron').count()).toBe(1);
  expect(await note(page).getByRole('status').innerText()).toMatch(/^Updated at \d/);
  const cost = page.getByRole('complementary', { name: 'Cost of this view' });
  await expect.poll(() => cost.innerText()).toMatch(/Live\s+polled every 1 s/);
  expect(gateway.gauge('portico_live_streams')).toBe(1);

  await page.reload();
  await updated(page).waitFor();
  expect(await liveSwitch(page).getAttribute('aria-checked')).toBe('true');
  await liveSwitch(page).click();
  await expect.poll(() => gateway.gauge('portico_live_streams')).toBe(0);
  await page.getByText('Salem').waitFor();
  await expect.poll(() => cost.innerText()).toMatch(/2 REST calls/);
  expect(await note(page).innerText()).toBe('');
  expect(faults).toEqual([]);
});

withBrowser('says for how long the data was not checked while polls fail', async () => {
  const { state, gateway, origin } = await start();
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await updated(page).waitFor();
  state.status = 500;
  // With the next heartbeat.
  await note(page)
    .getByText(/^Not checked for \d+ seconds$/)
    .waitFor();
  expect(await note(page).getByRole('status').innerText()).toMatch(/^Not checked since \d/);
  expect(await violationsOn(page)).toEqual([]);
  // What was current until then is as old when the connection is lost.
  await gateway.drain(10_000);
  await note(page)
    .getByText(/Data is [1-9]\d seconds old.$/)
    .waitFor();
});

withBrowser('says that data is checked again', async () => {
  const { state, origin } = await start();
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await updated(page).waitFor();
  state.status = 500;
  await note(page)
    .getByText(/^Not checked for/)
    .waitFor();
  state.status = 200;
  await updated(page).waitFor();
});

withBrowser('says that the connection is lost, and connects again', async () => {
  const { state, upstream } = await startCity();
  const first = await openGateway(upstream.url, settings);
  const { page } = await openLivePage(await serve(first.url), '/site/SITE-1');
  await updated(page).waitFor();
  await first.drain(10_000);
  await note(page).getByText(lost).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await screenshot(page, 'live-lost');
  // The backend responds in place of the gateway, and what was read stays.
  await page.waitForResponse((response) => response.status() === 502);
  await note(page).getByText(lost).waitFor();
  expect(await page.getByText('Bend').count()).toBe(1);
  state.city = 'Salem';
  await startGateway(upstream.url, { ...settings, PORT: new URL(first.url).port });
  await page.getByText('Salem').waitFor();
  await updated(page).waitFor();
});

/** A gateway that sends an event of a site with each of these extensions, and nothing more. */
async function startSilentGateway(...all: object[]) {
  const data = { live: { site: { __typename: 'Site', ...bareSite('SITE-1') } } };
  const gateway = await startUpstream((req, res) => {
    if (req.headers.accept?.startsWith('text/event-stream')) {
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const extensions of all)
        res.write(`event: next\ndata: ${JSON.stringify({ data, extensions })}\n\n`);
    } else sendJson(res, { extensions: { plan: { live: { everySeconds: 1, atMostPerMinute: 60 } } } });
  });
  return { gateway, origin: await serve(`${gateway.url}/graphql`) };
}

const streamsTo = ({ requests }: { requests: { headers: { accept?: string | undefined } }[] }) =>
  requests.filter(({ headers }) => headers.accept?.startsWith('text/event-stream')).length;

withBrowser(
  'shows the age of an event that no poll confirms, and takes silence for a lost connection',
  async () => {
    const { gateway, origin } = await startSilentGateway({});
    const { page } = await openLivePage(origin, '/site/SITE-1', { clock: true });
    await updated(page).waitFor();
    await page.clock.fastForward(30_000);
    await note(page)
      .getByText(/^Updated 3\d seconds ago$/)
      .waitFor();
    expect(streamsTo(gateway)).toBe(1);
    await page.clock.fastForward(11_000);
    await note(page)
      .getByText(/^Connection lost. Connecting again… Data is 4\d seconds old.$/)
      .waitFor();
    await page.clock.fastForward(2_000);
    await updated(page).waitFor();
    expect(streamsTo(gateway)).toBe(2);
  },
);

withBrowser('calls data unchanged once a poll has succeeded since the event, and not before', async () => {
  let heartbeat = (_text: string) => {};
  const data = { live: { site: { __typename: 'Site', ...bareSite('SITE-1') } } };
  const gateway = await startUpstream((req, res) => {
    if (!req.headers.accept?.startsWith('text/event-stream')) return sendJson(res, {});
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    res.write(`event: next\ndata: ${JSON.stringify({ data })}\n\n`);
    heartbeat = (text) => void res.write(`:${text}\n\n`);
  });
  const { page } = await openLivePage(await serve(`${gateway.url}/graphql`), '/site/SITE-1', { clock: true });
  await note(page)
    .getByText(/^Updated \d+ seconds? ago$/)
    .waitFor();
  // The poll of the event itself is still the last one, whether this arrives now or after the next twelve seconds.
  await page.clock.fastForward(12_000);
  heartbeat('{"ageSeconds":30,"intervals":1}');
  await page.clock.fastForward(12_000);
  await note(page)
    .getByText(/^Updated 2\d seconds ago$/)
    .waitFor();
  heartbeat('{"ageSeconds":4,"intervals":0}');
  await note(page)
    .getByText(/^Unchanged for 2\d seconds$/)
    .waitFor();
  // A change comes: of it no poll says anything yet.
  await page.clock.fastForward(12_000);
  heartbeat(`\n\nevent: next\ndata: ${JSON.stringify({ data })}`);
  await note(page)
    .getByText(/^Updated \d seconds? ago$/)
    .waitFor();
});

withBrowser('keeps what is left of the rate limit when an event does not say it', async () => {
  const quota = { remaining: 5997, limit: null, windowSeconds: null, resetSeconds: null };
  const { origin } = await startSilentGateway(
    { quota },
    { stale: [{ path: '/v1/site/SITE-1', ageSeconds: 65 }] },
  );
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await page.locator('[data-note="stale"]').waitFor();
  await page.getByText('polled every 1 s').click();
  await page.getByText('Rate limit: 5,997 left').waitFor();
});

withBrowser('shows one age while polls fail: that of the data, which grows', async () => {
  const { origin } = await startSilentGateway({ stale: [{ path: '/v1/site/SITE-1', ageSeconds: 65 }] });
  const { page } = await openLivePage(origin, '/site/SITE-1', { clock: true });
  const old = page.locator('[data-note="stale"]');
  await old.getByText('1 minute old.').waitFor();
  expect(await note(page).innerText()).toBe('Not current');
  await page.clock.fastForward(35_000);
  await old.getByText('2 minutes old.').waitFor();
  expect(await page.locator('body').innerText()).not.toMatch(/(seconds?|ago)\b/);
});

withBrowser('shows that the key is rejected, and sends no further request with it', async () => {
  const { state, gateway, origin } = await start();
  const { page } = await openLivePage(origin, '/site/SITE-1');
  await updated(page).waitFor();
  state.status = 403;
  await page.locator('[data-code="FORBIDDEN"]').waitFor();
  await note(page).getByText('The stream has ended.').waitFor();
  expect(await page.getByText('Bend').count()).toBe(0);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.reload();
  await page.locator('[data-code="FORBIDDEN"]').waitFor();
  await note(page).getByText('The stream has ended.').waitFor();
  expect(requests.filter((url) => url.endsWith('/graphql'))).toHaveLength(1);
  expect(gateway.lines).toEqual([]);
});

withBrowser('explains that a gateway has no live queries, and reads without', async () => {
  const { origin } = await start({ LIVE: 'off' });
  const { page, faults } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Ada Byron').waitFor();
  await liveSwitch(page).click();
  await note(page).getByText('Not available: the gateway runs without LIVE=on.').waitFor();
  expect(await liveSwitch(page).getAttribute('aria-checked')).toBe('false');
  expect(await page.getByText('Ada Byron').count()).toBe(1);
  expect(await violationsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

withBrowser.each(['light', 'dark'] as const)('has no barrier, and fits a phone: %s', async (colorScheme) => {
  const { origin } = await start();
  const { page } = await openLivePage(origin, '/site/SITE-1', { colorScheme });
  await updated(page).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await screenshot(page, `live-${colorScheme}`);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOn(page)).toEqual([]);
  await screenshot(page, `live-${colorScheme}-phone`);
});
