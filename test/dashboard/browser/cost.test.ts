import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { manifest, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();

const cost = (page: Page) => page.getByRole('complementary', { name: 'Cost of this view' });

withBrowser('makes the REST calls of the plan for a conversation, and no other', async () => {
  const { paths, url } = await startReference();
  const gateway = await startGateway(url);
  const origin = await serve(gateway.url, demoKeys.acme);
  const { page } = await openPage(origin, '/');
  const requested = page.waitForRequest(`${origin}/graphql`);
  await page.getByRole('link', { name: /A leak/ }).click();
  await page.getByRole('link', { name: 'Northbank Coworking' }).waitFor();
  await expect.poll(() => cost(page).innerText()).toMatch(/4 REST calls/);
  const made = [...paths].toSorted();

  const document = Object.entries(JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, string>).find(
    ([, text]) => text.includes('query ConversationPage'),
  );
  const request = await requested;
  const planned = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: request.headers().accept ?? '',
      'x-api-key': demoKeys.acme,
      'x-explain': 'plan',
    },
    body: JSON.stringify({ ...JSON.parse(request.postData() ?? ''), query: document?.[1] }),
  });
  const { extensions } = (await planned.json()) as {
    extensions: { plan: { calls: { path: string; forEach?: string }[] } };
  };
  const sites = ['SITE-1001', 'SITE-1002', 'SITE-1003'];
  const expanded = extensions.plan.calls.flatMap(({ path, forEach }) =>
    forEach ? sites.map((id) => path.replace('{id}', id)) : [path],
  );
  expect(made).toEqual(expanded.toSorted());
});

/** A part of an incremental response, with a report. */
function partOf(part: object, path: string, startedMs: number): string {
  const call = {
    method: 'GET',
    path,
    source: 'network',
    status: 200,
    durationMs: 20,
    startedMs,
    fields: ['site'],
  };
  const quota = { remaining: 1199, limit: 6000, windowSeconds: 60, resetSeconds: 41 };
  const upstream = { calls: [call], budget: { spent: 2, limit: 50 }, ...(startedMs > 0 && { quota }) };
  return `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ ...part, extensions: { upstream } })}\r\n---`;
}

/** The fields of the card, all absent. */
const absent = {
  ...{ address2: null, city: null, state: null, zip: null, businessName: null, clientSegment: null },
  ...{
    serviceLevel: null,
    serviceLevelLabel: null,
    sla: null,
    isMonitored: null,
    membershipRegistered: null,
  },
  ...{ createdAt: null, cppExpDate: null, accountManager: null },
};

withBrowser(
  'adds up the calls of all parts of a response, and says what is left of the rate limit',
  async () => {
    const site = { __typename: 'Site', id: 'SITE-1', address1: 'Road 1' };
    const relations = { __typename: 'Site', id: 'SITE-1', clients: [], projects: [] };
    const gateway = await startUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' });
      const data = { __typename: 'Query', site: { ...absent, ...site } };
      res.write(`---${partOf({ data, hasNext: true }, '/v1/site/SITE-1', 0)}`);
      const incremental = [{ path: ['site'], data: relations }];
      res.end(`${partOf({ incremental, hasNext: false }, '/v1/site/SITE-1?include=clients,projects', 30)}--`);
    });
    const { page, faults } = await openPage(await serve(`${gateway.url}/graphql`), '/site/SITE-1');
    await page.getByText('No clients belong to this site.').waitFor();
    await expect.poll(() => cost(page).innerText()).toMatch(/2 REST calls\s+few calls left\s+50 ms/);
    await cost(page).getByText('2 REST calls').click();
    expect(await cost(page).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('200 · network · 20 ms'),
      expect.stringContaining('/v1/site/SITE-1?include=clients,projects'),
    ]);
    await cost(page).getByText('2 calls; 1,199 of 6,000 left, again full in 41 s').waitFor();
    expect(await cost(page).getByRole('meter', { name: 'Rate limit' }).count()).toBe(1);
    expect(faults).toEqual([]);
  },
);

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
