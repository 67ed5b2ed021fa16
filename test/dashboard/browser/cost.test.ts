import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { manifest, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { postQuery, startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();

const cost = (page: Page) => page.getByRole('complementary', { name: 'Cost of this view' });

withBrowser('makes the REST calls of the plan for a conversation, and no other', async () => {
  const { paths, url } = await startReference();
  const gateway = await startGateway(url);
  const { page } = await openPage(await serve(gateway.url, demoKeys.acme), '/');
  await page.getByRole('link', { name: /A leak/ }).click();
  await page.getByRole('link', { name: 'Northbank Coworking' }).waitFor();
  await expect.poll(() => cost(page).innerText()).toMatch(/^4 REST calls/);
  const made = paths.toSorted();

  const documents = Object.values(JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, string>);
  const query = documents.find((text) => text.includes('query ConversationPage')) ?? '';
  const { extensions } = await postQuery(gateway.url, query, {
    key: demoKeys.acme,
    variables: { id: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00' },
    headers: { 'x-explain': 'plan' },
  });
  const { plan } = extensions as unknown as { plan: { calls: { path: string; forEach?: string }[] } };
  const sites = ['SITE-1001', 'SITE-1002', 'SITE-1003'];
  const planned = plan.calls.flatMap(({ path, forEach }) =>
    forEach ? sites.map((id) => path.replace('{id}', id)) : [path],
  );
  expect(made).toEqual(planned.toSorted());
});

withBrowser('adds up the calls of all parts, below the data, and says what is left', async () => {
  const reference = await startReference();
  const upstream = await startUpstream(async (req, res) => {
    const response = await fetch(`${reference.url}${req.url}`, {
      headers: { 'x-api-key': demoKeys.acme },
    });
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

withBrowser('counts no call that was not made', async () => {
  const upstream = await startUpstream((req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    if (include.length > 0) sendJson(res, {}, 429, { 'retry-after': '600' });
    else sendJson(res, bareSite(id));
  });
  const origin = await serve((await startGateway(upstream.url)).url);
  const { page } = await openPage(origin, '/site/SITE-1');
  await expect.poll(() => cost(page).innerText()).toMatch(/^2 REST calls/);
  await page.reload();
  await cost(page).getByText('0 REST calls').click();
  await cost(page).getByText('429 · rate-limited').waitFor();
});
