import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { violationsOn, withChromium } from '../../support/browser.ts';
import { screenshot, useDashboard } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { sendJson, sendSite, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();
const conversation = `/conversation/${demoConversations.main}`;
const { main } = demoSites();

async function start(env: NodeJS.ProcessEnv = {}) {
  const reference = await startReference();
  const gateway = await startGateway(reference.url, env);
  const origin = await serve(gateway.url, demoKeys.acme);
  return { reference, paths: reference.paths, gateway, origin };
}

const cost = (page: Page) => page.getByRole('complementary', { name: 'Cost of this view' });

withChromium('shows a site, its clients and its projects, and what they cost', async () => {
  const { origin, paths } = await start();
  const { page, faults } = await openPage(origin, '/');
  await page.getByRole('textbox', { name: /Id of a site/ }).fill(main);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: '886 SE Wilson Ave' }).waitFor();
  await page.getByText('CPP Proactive').waitFor();
  await page.getByText('Dana Whitfield').waitFor();
  const mail = page.getByRole('link', { name: 'thomas.ishikawa@mail.example' });
  expect(await mail.getAttribute('href')).toBe('mailto:thomas.ishikawa@mail.example');
  const phone = page.getByRole('link', { name: '(541) 555-0133' });
  expect(await phone.getAttribute('href')).toBe('tel:5415550133');
  const table = page.getByRole('table', { name: /Projects/ });
  expect(await table.getByRole('row').nth(1).innerText()).toMatch(
    /Heat pump conversion\s+In warranty\s+Jan 31, 2020/,
  );
  // The demo contradicts itself nowhere.
  expect(await page.locator('.timeline').innerText()).not.toMatch(/In warranty · warranty ended/);
  await expect.poll(() => cost(page).innerText()).toMatch(/2 REST calls/);
  expect(paths).toEqual([`/v1/site/${main}`, `/v1/site/${main}?include=clients,projects`]);
  expect(await page.title()).toBe('886 SE Wilson Ave · Partner dashboard');
  expect(faults).toEqual([]);
});

withChromium(
  'shows a conversation: its messages, its participants, and its sites with their cards',
  async () => {
    const { origin } = await start();
    const { page, faults } = await openPage(origin, conversation);
    await page.getByRole('heading', { level: 1, name: /Brown stain/ }).waitFor();
    const messages = page.locator('.thread > li');
    expect(await messages.count()).toBe(8);
    await page.getByRole('radio', { name: 'Internal' }).check();
    expect(await messages.count()).toBe(1);
    await page.getByRole('radio', { name: 'Public' }).check();
    expect(await messages.count()).toBe(7);
    await page.getByRole('link', { name: /warranty-terms.pdf/ }).waitFor();
    const participants = page.getByRole('region', { name: /Participants/ });
    await participants.getByText('Mei-Lin Ishikawa').waitFor();
    const sites = page.getByRole('region', { name: /Sites/ });
    await sites.getByText('3 earlier conversations').click();
    await sites.getByText('Weekend watch on the walk-in freezer').waitFor();
    await sites.getByRole('link', { name: 'Northbank Coworking' }).click();
    await page.getByRole('heading', { level: 1, name: 'Northbank Coworking' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: /Brown stain/ }).waitFor();
    expect(faults).toEqual([]);
  },
);

withChromium('unfolds transcripts, and links to web addresses alone', async () => {
  const attachments = [
    { type: 'transcription', title: 'Call recording', content: 'Ada: it drips.', transcriptionId: 'T-1' },
    { type: 'image', title: 'stain.jpg', content: 'https://files.example/stain.jpg' },
    { type: 'link', title: 'script', content: 'javascript:alert(1)' },
  ];
  const upstream = await startUpstream((_req, res) => sendJson(res, { messages: [{ attachments }] }));
  const origin = await serve((await startGateway(upstream.url)).url);
  const { page } = await openPage(origin, conversation);
  await page.getByText('Call recording').click();
  await page.getByText('Ada: it drips.').waitFor();
  const links = page.getByRole('region', { name: 'Messages' }).locator('.attachments').getByRole('link');
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    'https://files.example/stain.jpg',
  ]);
});

withChromium('remembers what was opened, on this device', async () => {
  const { origin } = await start();
  const { page } = await openPage(origin, `/site/${encodeURIComponent(demoSites().withSlash)}`);
  await page.getByText(demoSites().withSlash, { exact: true }).waitFor();
  await page.goto(`${origin}/`);
  const recent = page.getByRole('region', { name: 'Recently opened' });
  await recent.getByRole('link', { name: demoSites().withSlash }).click();
  await page.getByText(demoSites().withSlash, { exact: true }).waitFor();
  await page.goto(`${origin}/`);
  await recent.getByRole('button', { name: 'Clear' }).click();
  await recent.waitFor({ state: 'detached' });
});

withChromium('reads again what it has only when it is asked to', async () => {
  const { origin, paths } = await start();
  const { page } = await openPage(origin, `/site/${main}`);
  await page.getByText('Mei-Lin Ishikawa').waitFor();
  await page.getByRole('link', { name: 'Partner dashboard' }).click();
  await page.goBack();
  await page.getByText('Mei-Lin Ishikawa').waitFor();
  expect(await cost(page).count()).toBe(0);
  expect(paths).toHaveLength(2);
  await page.reload();
  await cost(page).getByText('REST calls').click();
  await cost(page).getByRole('button', { name: 'Reload' }).click();
  await expect.poll(() => paths.length).toBe(6);
});

withChromium('adds up the calls of all parts, below the data, and says what is left', async () => {
  const reference = await startReference();
  const upstream = await startUpstream(async (req, res) => {
    const response = await fetch(`${reference.url}${req.url}`, { headers: { 'x-api-key': demoKeys.acme } });
    sendJson(res, await response.json(), 200, {
      ratelimit: '"a";r=1199;t=41',
      'ratelimit-policy': '"a";q=6000;w=60',
    });
  });
  const origin = await serve((await startGateway(upstream.url)).url);
  const { page, faults } = await openPage(origin, '/site/SITE-1001', {
    viewport: { width: 390, height: 800 },
  });
  await page.getByText('Mei-Lin Ishikawa').waitFor();
  await expect.poll(() => cost(page).innerText()).toMatch(/^2 REST calls\s*few calls left\s*\d+ ms$/);
  // In the flow: it begins where the data ends, and a phone has a badge.
  const [data, corner] = await Promise.all([page.locator('.view').boundingBox(), cost(page).boundingBox()]);
  expect(corner?.y).toBeGreaterThanOrEqual((data?.y ?? 0) + (data?.height ?? Number.POSITIVE_INFINITY));
  expect(corner?.height).toBeLessThan(40);
  await cost(page).getByText('2 REST calls').click();
  expect(await cost(page).getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^\/v1\/site\/SITE-1001\s+200 · network · \d+ ms$/),
    expect.stringContaining('/v1/site/SITE-1001?include=clients,projects'),
  ]);
  await cost(page)
    .getByText(/^1,199 of 6,000 left, resets in \d+ s$/)
    .waitFor();
  expect(faults).toEqual([]);
});

withChromium('counts no call that was not made', async () => {
  const upstream = await startUpstream((req, res) => {
    const isExpanded = siteFromPath(req.url ?? '').include.length > 0;
    sendSite(req, res, {}, isExpanded ? 429 : 200, { 'retry-after': '600' });
  });
  const origin = await serve((await startGateway(upstream.url)).url);
  const { page } = await openPage(origin, '/site/SITE-1');
  await expect.poll(() => cost(page).innerText()).toMatch(/^2 REST calls/);
  await page.reload();
  await cost(page).getByText('0 REST calls').click();
  await cost(page).getByText('429 · rate-limited').waitFor();
});

withChromium('can be used by keyboard', async () => {
  const { origin } = await start();
  const { page } = await openPage(origin, '/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.getByRole('link', { name: /A home with three/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: '886 SE Wilson Ave' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
});

const pages = [
  { name: 'start', path: '/', ready: 'Demo examples' },
  { name: 'site', path: `/site/${main}`, ready: 'Mei-Lin Ishikawa' },
  { name: 'conversation', path: conversation, ready: 'Northbank Coworking' },
  { name: 'gaps', path: `/conversation/${demoConversations.withGaps}`, ready: 'Zoë Weiß' },
  {
    name: 'empty',
    path: `/conversation/${demoConversations.withoutFields}`,
    ready: 'Sites: nothing was sent.',
  },
];

withChromium.each(pages)('has no barrier, and fits a phone: $name', async ({ name, path, ready }) => {
  const { origin } = await start();
  const { page, faults } = await openPage(origin, path);
  await page.getByText(ready, { exact: true }).first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOn(page)).toEqual([]);
    await screenshot(page, `${name}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await screenshot(page, `${name}-phone`);
  expect(faults).toEqual([]);
});
