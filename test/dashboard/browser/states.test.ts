import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { problemTexts } from '../../../examples/dashboard/src/gateway/problems.ts';
import { errorCodes } from '../../../src/schema/errors.ts';
import { violationsOn } from '../../support/browser.ts';
import { screenshot, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { createGate } from '../../support/gate.ts';
import { startGateway } from '../../support/gateway.ts';
import { bareSite, type Script, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();

const site = (id: string) => ({ ...bareSite(id), address1: `Road of ${id}` });
const clients = [{ id: 'CL-1', name: 'Ada Byron' }];
const conversationId = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const conversation = {
  subject: 'A leak',
  messages: [{ text: 'It drips.', author: 'Ada Byron' }],
  sites: ['SITE-1', 'SITE-2', 'SITE-3'].map((id) => ({ id, address: `Address of ${id}` })),
};

/** An upstream that has every site and conversation, unless `script` responds otherwise by returning true. */
async function start(
  script: (...args: Parameters<Script>) => unknown = () => false,
  env: NodeJS.ProcessEnv = {},
) {
  const upstream = await startUpstream(async (req, res) => {
    if ((await script(req, res)) === true) return;
    const { id, include } = siteFromPath(req.url ?? '');
    if (req.url?.startsWith('/v1/conversation/')) sendJson(res, conversation);
    else sendJson(res, { ...site(id), ...(include.length > 0 && { clients, projects: [] }) });
  });
  const gateway = await startGateway(upstream.url, env);
  const origin = await serve(gateway.url);
  return { upstream, origin };
}

const failWith =
  (status: number, headers: Record<string, string> = {}): Script =>
  (_req, res) => {
    sendJson(res, {}, status, headers);
    return true;
  };

const problem = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);

withBrowser('says what every code means, and finds no barrier in it', async () => {
  let code = '';
  const gateway = await startUpstream((_req, res) =>
    sendJson(res, { errors: [{ message: `Message of ${code}.`, extensions: { code } }] }, 400, {
      'x-request-id': 'request-7',
    }),
  );
  const origin = await serve(`${gateway.url}/graphql`);
  const { page, faults } = await openPage(origin, '/');
  for (code of errorCodes) {
    await page.goto(`${origin}/site/SITE-1`);
    await problem(page, code).getByText(`Message of ${code}.`).waitFor();
    await problem(page, code).getByText('request-7').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      problemTexts[code as keyof typeof problemTexts].title,
    );
  }
  expect(await violationsOn(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violationsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

withBrowser.each([
  ['site', '/site/SITE-1'],
  ['page', '/elsewhere'],
])('says that there is no such %s', async (_, path) => {
  const { origin } = await start(failWith(404));
  const { page, faults } = await openPage(origin, path);
  await problem(page, 'NOT_FOUND').getByRole('heading', { level: 1 }).waitFor();
  expect(faults).toEqual([]);
});

withBrowser('counts down while the rate limit is exceeded, and then reads by itself', async () => {
  // The first call alone: on a slow machine the page reads again before it has been checked.
  let calls = 0;
  const { origin, upstream } = await start((req, res) => {
    calls += 1;
    return calls === 1 && failWith(429, { 'retry-after': '2' })(req, res);
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  const limited = problem(page, 'RATE_LIMITED').getByText(/Retries by itself in [12] s/);
  await limited.waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-1' }).waitFor();
  await expect.poll(() => upstream.paths()).toHaveLength(3);
});

withBrowser('shows the card while its relations are on their way, and then those', async () => {
  const card = createGate();
  const relations = createGate();
  const { origin } = await start(async (req) => {
    await (req.url?.includes('include') ? relations : card).promise;
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Loading the site').waitFor({ state: 'attached' });
  expect(await violationsOn(page)).toEqual([]);
  card.open();
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-1' }).waitFor();
  await page.getByText('Loading: Clients').waitFor({ state: 'attached' });
  expect(await page.locator('.view').getAttribute('aria-busy')).toBe('true');
  expect(await violationsOn(page)).toEqual([]);
  relations.open();
  await page.getByText('Ada Byron').waitFor();
  await page.getByText('There are no projects at this site.').waitFor();
  await page.locator('.view[aria-busy=false]').waitFor();
});

withBrowser('keeps the card where only its relations fail, and reads them again on demand', async () => {
  let isDown = true;
  const { origin } = await start(
    (req, res) => isDown && req.url?.includes('include') && failWith(500)(req, res),
  );
  const { page, faults } = await openPage(origin, '/site/SITE-1');
  const failed = page.getByRole('region', { name: 'Clients' }).locator('[data-code="UPSTREAM_UNAVAILABLE"]');
  await failed.waitFor();
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-1' }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  isDown = false;
  await failed.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Ada Byron').waitFor();
  expect(faults).toEqual([]);
});

withBrowser('says of what the REST API does not state that it is not stated', async () => {
  const bare = { projects: [{}], clients: [{}] };
  const { origin } = await start((req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    const isConversation = req.url?.startsWith('/v1/conversation/');
    if (isConversation) sendJson(res, { messages: [{ text: 'It drips.' }], sites: [{ id: 'SITE-1' }] });
    else sendJson(res, { ...bareSite(id), ...(include.length > 0 && bare) });
    return true;
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Contact details not stated').waitFor();
  const facts = await page.locator('.facts > div').allInnerTexts();
  expect(facts.map((fact) => fact.split('\n'))).toEqual([
    ...['Account manager', 'SLA', 'Monitoring', 'Membership', 'Segment'].map((term) => [term, 'Not stated']),
    ['Site', 'SITE-1'],
  ]);
  expect(await page.locator('.site-card header').innerText()).toMatch(
    /Address not stated\s+Service level not stated/,
  );
  expect(await page.locator('tbody td').allTextContents()).toEqual(Array(5).fill('Not stated'));
  await page.getByText('stage not stated · dates not stated').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await screenshot(page, 'not-stated');

  await page.goto(`${origin}/conversation/${conversationId}`);
  await page.getByText('Earlier conversations not stated').waitFor();
  await page.getByText('Participants: nothing was sent.').waitFor();
  expect(await page.locator('.message').innerText()).toMatch(
    /Public or internal: not stated\s+Time not stated/,
  );
  await page.getByRole('radio', { name: 'Public' }).check();
  expect(await page.locator('.message').count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
});

withBrowser('says which site is not permitted, while the rest of the conversation stays', async () => {
  const { origin } = await start((req, res) => req.url === '/v1/site/SITE-2' && failWith(403)(req, res));
  const { page } = await openPage(origin, `/conversation/${conversationId}`);
  const sites = page.getByRole('region', { name: 'Sites' }).locator('> ul > li');
  await sites.nth(2).getByRole('link', { name: 'Road of SITE-3' }).waitFor();
  await sites.nth(1).locator('[data-code="FORBIDDEN"]').waitFor();
  expect(await sites.nth(1).innerText()).toContain('Address of SITE-2');
  await sites.nth(0).getByRole('link', { name: 'Road of SITE-1' }).waitFor();
  await page.getByText('It drips.').waitFor();
  await expect.poll(() => page.locator('[data-code]').count()).toBe(1);
  expect(await violationsOn(page)).toEqual([]);
});

withBrowser('counts the failures that the gateway does not list', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => `SITE-${n}`);
  const { origin } = await start((req, res) => {
    if (req.url?.startsWith('/v1/site/')) return failWith(500)(req, res);
    sendJson(res, { ...conversation, sites: ids.map((id) => ({ id, address: `Address of ${id}` })) });
    return true;
  });
  const { page } = await openPage(origin, `/conversation/${conversationId}`);
  await page.locator('[data-note="omitted"]').getByText('2 more fields').waitFor();
  await expect.poll(() => page.getByText('This site could not be read.').count()).toBe(2);
});

withBrowser('says how old data is that the gateway serves in place of a failed call', async () => {
  let isDown = false;
  const { origin } = await start((req, res) => isDown && failWith(500)(req, res), {
    CACHE_TTL_MS: '1',
    CACHE_STALE_IF_ERROR_MS: '600000',
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Ada Byron').waitFor();
  isDown = true;
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-1' }).waitFor();
  const note = page.locator('[data-note="stale"]');
  await note.getByText(/\d+ seconds? old\./).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  isDown = false;
  await note.getByRole('button', { name: 'Try again' }).click();
  await note.waitFor({ state: 'detached' });
});

withBrowser('says that the session has ended, the gateway is down, or the page is offline', async () => {
  const { origin } = await start();
  const { page, context } = await openPage(origin, '/');
  const open = async (id: string) => {
    await page.getByRole('textbox').fill(id);
    await page.getByRole('button', { name: 'Open' }).click();
  };
  await context.clearCookies();
  await open('SITE-1');
  await problem(page, 'UNAUTHENTICATED').waitFor();
  await context.setOffline(true);
  await open('SITE-2');
  await problem(page, 'OFFLINE').waitFor();
  await context.setOffline(false);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-2' }).waitFor();
  const alone = await serve('http://127.0.0.1:9/graphql');
  await page.goto(`${alone}/site/SITE-3`);
  await problem(page, 'GATEWAY_UNREACHABLE').waitFor();
});

withBrowser('opens an id as people have it, and says what an id looks like', async () => {
  const { origin, upstream } = await start();
  const { page, faults } = await openPage(origin, '/', { viewport: { width: 390, height: 800 } });
  const field = page.getByRole('textbox', { name: /Id of a site/ });
  const problemOfField = page.getByRole('alert').getByText(/SITE-1001 or 1001/);
  await field.fill('Wilson Ave');
  await page.getByRole('button', { name: 'Open' }).click();
  await problemOfField.waitFor();
  expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOn(page)).toEqual([]);
  await screenshot(page, 'id-problem');
  expect(upstream.paths()).toEqual([]);
  await field.fill('7');
  await problemOfField.waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-7' }).waitFor();
  await field.fill('/v1/site/site-8?include=clients');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Road of SITE-8' }).waitFor();
  await field.fill(`${origin}/conversation/${conversationId.toUpperCase()}`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'A leak' }).waitFor();
  expect(upstream.paths()).toEqual(
    expect.arrayContaining([
      '/v1/site/SITE-7',
      '/v1/site/SITE-8',
      `/v1/conversation/${conversationId}/context`,
    ]),
  );
  await field.fill('nothing');
  await page.keyboard.press('Enter');
  await problemOfField.waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOn(page)).toEqual([]);
  await screenshot(page, 'id-problem-masthead');
  expect(faults).toEqual([]);
});
