import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { textOf } from '../../../examples/dashboard/src/gateway/problems.ts';
import { errorCodes } from '../../../src/schema/errors.ts';
import { violationsOn, withChromium } from '../../support/browser.ts';
import { useDashboard } from '../../support/dashboard.ts';
import { createGate } from '../../support/gate.ts';
import { startGateway } from '../../support/gateway.ts';
import {
  bareSite,
  conversation as conversationId,
  type Script,
  sendJson,
  sendSite,
  siteFromPath,
  startUpstream,
} from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();

const clients = [{ id: 'CL-1', name: 'Ada Byron' }];
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
    const { id } = siteFromPath(req.url ?? '');
    if (req.url?.startsWith('/v1/conversation/')) sendJson(res, conversation);
    else sendSite(req, res, { address1: `Road of ${id}`, clients });
  });
  const gateway = await startGateway(upstream.url, env);
  return { upstream, origin: await serve(gateway.url) };
}

const failWith =
  (status: number, headers: Record<string, string> = {}): Script =>
  (_req, res) => {
    sendJson(res, {}, status, headers);
    return true;
  };

const problem = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

withChromium('says what every code means, and finds no barrier in it', async () => {
  let code = '';
  const gateway = await startUpstream((_req, res) =>
    sendJson(res, { errors: [{ message: `Message of ${code}.`, extensions: { code } }] }, 400, {
      'x-request-id': 'request-7',
    }),
  );
  const origin = await serve(`${gateway.url}/graphql`);
  const { page, faults } = await openPage(origin, '/');
  for (code of errorCodes) {
    const text = textOf(code);
    await page.goto(`${origin}/site/SITE-1`);
    await problem(page, code).getByText('request-7').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(text.title);
    // The countdown says when.
    expect(await page.getByText(`Message of ${code}.`).count()).toBe(text.retry === 'automatic' ? 0 : 1);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violationsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

withChromium('says that there is no such site or page', async () => {
  const { origin } = await start(failWith(404));
  const { page, faults } = await openPage(origin, '/site/site-1');
  await title(page, 'Site not found');
  await page.getByText('SITE-1 does not exist, or belongs to another partner.').waitFor();
  await page.goto(`${origin}/elsewhere`);
  await title(page, 'Page not found');
  expect(faults).toEqual([]);
});

withChromium('counts down while the rate limit is exceeded, and then reads by itself', async () => {
  // The first call alone: on a slow machine the page reads again before it has been checked.
  let calls = 0;
  const { origin, upstream } = await start((req, res) => {
    calls += 1;
    return calls === 1 && failWith(429, { 'retry-after': '2' })(req, res);
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await problem(page, 'RATE_LIMITED')
    .getByText(/^Retrying in [12] s/)
    .waitFor();
  expect(await page.locator('body').innerText()).not.toContain('Retry-After');
  await title(page, 'Road of SITE-1');
  await expect.poll(() => upstream.paths()).toHaveLength(3);
});

withChromium('shows the card while its relations are on their way, and then those', async () => {
  const [card, relations] = [createGate(), createGate()];
  const { origin } = await start(async (req) => {
    await (req.url?.includes('include') ? relations : card).promise;
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Loading the site').waitFor({ state: 'attached' });
  card.open();
  await title(page, 'Road of SITE-1');
  await page.getByText('Loading: Clients').waitFor({ state: 'attached' });
  expect(await page.locator('.view').getAttribute('aria-busy')).toBe('true');
  relations.open();
  await page.getByText('Ada Byron').waitFor();
  await page.getByText('There are no projects at this site.').waitFor();
  await page.locator('.view[aria-busy=false]').waitFor();
});

withChromium('keeps what came while a part fails, and reads it again on demand', async () => {
  let isDown = true;
  const { origin } = await start((req, res) => {
    if (req.url === '/v1/site/SITE-2') return failWith(403)(req, res);
    return isDown && req.url?.includes('include') && failWith(500)(req, res);
  });
  const { page, faults } = await openPage(origin, '/site/SITE-1');
  const failed = page.getByRole('region', { name: 'Clients' }).locator('[data-code="UPSTREAM_UNAVAILABLE"]');
  await failed.waitFor();
  await title(page, 'Road of SITE-1');
  expect(await violationsOn(page)).toEqual([]);
  isDown = false;
  await failed.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Ada Byron').waitFor();

  await page.goto(`${origin}/conversation/${conversationId}`);
  const sites = page.getByRole('region', { name: 'Sites' }).locator('> ul > li');
  await sites.nth(2).getByRole('link', { name: 'Road of SITE-3' }).waitFor();
  await sites.nth(1).locator('[data-code="FORBIDDEN"]').waitFor();
  expect(await sites.nth(1).innerText()).toContain('Address of SITE-2');
  await page.getByText('It drips.').waitFor();
  expect(await page.locator('[data-code]').count()).toBe(1);
  expect(faults).toEqual([]);
});

withChromium('says of what the REST API does not state that it is not stated', async () => {
  const bare = { projects: [{}], clients: [{ name: '', firstName: 'Ada' }] };
  const { origin } = await start((req, res) => {
    if (req.url?.startsWith('/v1/conversation/'))
      sendJson(res, { messages: [{ author: '', text: '', rawBody: 'Raw.' }], sites: [{ address: '' }] });
    else sendSite(req, res, { businessName: '', ...bare });
    return true;
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Contact details not stated').waitFor();
  await page.getByRole('heading', { level: 3, name: 'Ada' }).waitFor();
  const facts = await page.locator('.facts > div').allInnerTexts();
  expect(facts.map((fact) => fact.split('\n'))).toEqual([
    ...['Account manager', 'SLA', 'Monitoring', 'Membership', 'Segment'].map((term) => [term, 'Not stated']),
    ['Site', 'SITE-1'],
  ]);
  await page.getByText('Address not stated').waitFor();
  await page.getByText('Service level not stated').waitFor();
  expect(await page.locator('tbody td').allTextContents()).toEqual(Array(5).fill('Not stated'));
  await page.getByText('stage not stated · dates not stated').waitFor();
  expect(await violationsOn(page)).toEqual([]);

  await page.goto(`${origin}/conversation/${conversationId}`);
  await page.getByText('Earlier conversations not stated').waitFor();
  await page.getByText('Participants: nothing was sent.').waitFor();
  await page.getByRole('heading', { level: 3, name: 'A site without an address' }).waitFor();
  expect(await page.locator('.message').innerText()).toMatch(
    /Unknown author\s+Public or internal: not stated\s+Time not stated\s+#1\s+Raw\./,
  );
  expect(await violationsOn(page)).toEqual([]);
});

withChromium('counts the failures that the gateway does not list', async () => {
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

withChromium('says how old data is that the gateway serves in place of a failed call', async () => {
  let isDown = false;
  const { origin } = await start((req, res) => isDown && failWith(500)(req, res), {
    CACHE_TTL_MS: '1',
    CACHE_STALE_IF_ERROR_MS: '600000',
  });
  const { page } = await openPage(origin, '/site/SITE-1');
  await page.getByText('Ada Byron').waitFor();
  isDown = true;
  await page.reload();
  const note = page.locator('[data-note="stale"]');
  await note.getByText(/\d+ seconds? old\./).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  isDown = false;
  await note.getByRole('button', { name: 'Try again' }).click();
  await note.waitFor({ state: 'detached' });
});

withChromium('says that the session has ended, the gateway is down, or the page is offline', async () => {
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
  await title(page, 'Road of SITE-2');
  const alone = await openPage(await serve('http://127.0.0.1:9/graphql'), '/site/SITE-3');
  await problem(alone.page, 'GATEWAY_UNREACHABLE').waitFor();
});

withChromium('opens an id as people have it, and says what an id looks like', async () => {
  const { origin, upstream } = await start();
  const { page, faults } = await openPage(origin, '/', { viewport: { width: 390, height: 800 } });
  const field = page.getByRole('textbox', { name: /Id of a site/ });
  const hint = page.getByRole('alert').getByText(/SITE-1001 or 1001/);
  await field.fill('Wilson Ave');
  await page.getByRole('button', { name: 'Open' }).click();
  await hint.waitFor();
  expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOn(page)).toEqual([]);
  expect(upstream.paths()).toEqual([]);
  await page.getByRole('link', { name: 'My sites' }).click();
  await hint.waitFor({ state: 'detached' });
  await field.fill('Wilson Ave');
  await page.keyboard.press('Enter');
  await hint.waitFor();
  await field.fill('7');
  await hint.waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await title(page, 'Road of SITE-7');
  await field.fill(`Please look at ${origin}/conversation/${conversationId.toUpperCase()}`);
  await page.keyboard.press('Enter');
  await title(page, 'A leak');
  await page.goto(`${origin}/site/site-8`);
  await title(page, 'Road of SITE-8');
  expect(upstream.paths()).toEqual(expect.arrayContaining(['/v1/site/SITE-7', '/v1/site/SITE-8']));
  expect(faults).toEqual([]);
});

withChromium('breaks words that are wider than a phone', async () => {
  const long = 'W'.repeat(100);
  const site = { address1: long, city: long, businessName: long, serviceLevel: long, clientSegment: long };
  const client = { name: long, emails: [{ value: `${long}@mail.example` }] };
  const { origin } = await start((req, res) => {
    const message = { author: long, text: long, attachments: [{ title: long, content: long }] };
    const body = { subject: long, labels: [long], status: long, messages: [message] };
    const sites = [{ id: 'SITE-1', address: long }];
    if (req.url?.startsWith('/v1/conversation/')) sendJson(res, { ...body, sites });
    else sendJson(res, { ...bareSite('SITE-1'), ...site, clients: [client], projects: [{ name: long }] });
    return true;
  });
  const { page } = await openPage(origin, '/', { viewport: { width: 390, height: 844 } });
  for (const path of ['/site/SITE-1', `/conversation/${conversationId}`, '/sites?ids=1', '/']) {
    await page.goto(`${origin}${path}`);
    await page.getByText(long).first().waitFor();
    await page.locator('.view[aria-busy=true]').waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: path })
      .toBe(390);
  }
});
