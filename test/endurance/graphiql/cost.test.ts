import type { Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { demoConversations } from '../../../reference/data/demo-ids.ts';
import {
  marks,
  openTab,
  panelOf,
  result,
  run,
  startPage,
  type,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';
import { startCity } from '../../support/upstream.ts';

const conversation = {
  query: 'query C($id: ID!) {\n  conversationContext(id: $id) {\n    subject\n    \n  }\n}',
  variables: JSON.stringify({ id: demoConversations.main }),
};

withChromium('plans the operation while it is typed, without a REST call', async () => {
  const { page, operations, paths, errors } = await startPage({ search: conversation });
  const { plan, plannedCalls } = panelOf(page);
  await expect.poll(() => plan.innerText()).toMatch(/1\s+call\s+of at most 50/);
  await page.locator('.graphiql-query-editor .view-line').nth(3).click();
  await page.keyboard.type('sites { site { city');
  await expect.poll(() => plan.innerText()).toContain('1 + sites');
  await page.keyboard.type(' clients { name');
  await expect.poll(() => plannedCalls.allInnerTexts()).toContain('/v1/site/{id}?include=clients');
  // The editor has the cost beside the fields that cause it.
  const editor = page.locator('.graphiql-query-editor .view-lines');
  await expect.poll(async () => (await editor.innerText()).replace(/\s/g, ' ')).toContain('1 call × sites');
  expect(new Set(operations.map(({ explain }) => explain))).toEqual(new Set(['plan']));
  expect({ paths, errors }).toEqual({ paths: [], errors: [] });
});

withChromium('shows the calls of a run as a waterfall, and marks the fields of a call', async () => {
  // All lines of the operation are visible: the editor renders no others.
  const { page, paths, errors } = await startPage({ viewport: { width: 1400, height: 1800 } });
  const { plan, plannedCalls, madeCalls, bars, report } = panelOf(page);
  await openTab(page, 'Dashboard');
  await expect.poll(() => plan.innerText()).toContain('2 + sites');
  await run(page);
  await expect.poll(() => madeCalls.count()).toBe(4);
  expect((await madeCalls.allInnerTexts()).sort()).toEqual([...paths].sort());
  expect(await bars.count()).toBe(4);
  expect(await result(page)).not.toContain('"upstream"');

  // The sites of the conversation are requested when its call has ended.
  const starts = await bars.evaluateAll((all) => all.map((bar) => Number.parseFloat(bar.style.left)));
  expect(starts[0]).toBeLessThan(starts[3] ?? 0);
  await madeCalls.filter({ hasText: 'context' }).hover();
  await expect.poll(() => marks(page).count()).toBe(1);

  // The plan has made room.
  await expect.poll(() => plannedCalls.count()).toBe(0);
  await plan.click();
  await plannedCalls.first().hover();
  // The site, and two relations that it includes.
  await expect.poll(() => marks(page).count()).toBe(3);
  await page.mouse.move(0, 0);
  await expect.poll(() => marks(page).count()).toBe(0);
  await plannedCalls.nth(2).focus();
  await expect.poll(() => marks(page).count()).toBe(2);

  // Each tab keeps its report, as it keeps its response.
  await openTab(page, 'Site');
  await expect.poll(() => report.innerText()).toContain('Run the operation to see its calls.');
  await openTab(page, 'Dashboard');
  await expect.poll(() => madeCalls.count()).toBe(4);
  expect(errors).toEqual([]);
});

withChromium('shows which field of an operation that is too expensive passes the limit', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `SITE-${n}`);
  const query = 'query ($a: [ID!]!) {\n  sites(ids: $a) { id }\n  health { reachable }\n}';
  const env = { MAX_UPSTREAM_CALLS: '30' };
  const search = { query, variables: JSON.stringify({ a: ids }) };
  const { page, paths, errors } = await startPage({ env, search, viewport: { width: 1400, height: 1800 } });
  const { panel, plan, plannedCalls } = panelOf(page);
  await expect.poll(() => plan.innerText()).toMatch(/31\s+calls\s+of at most 30/);
  const note = panel.getByText('health passes the limit: select it in another operation.');
  await note.hover();
  await expect.poll(() => marks(page).count()).toBe(1);
  // Equal calls are one row.
  expect(await plannedCalls.allInnerTexts()).toEqual(['/v1/site/{id}', '/v1/health']);
  expect(await plan.locator('..').locator('td').allInnerTexts()).toEqual(['30', '1']);
  expect(await violationsOn(page)).toEqual([]);

  // After a run, too, the plan is what says why.
  await run(page);
  await expect.poll(() => result(page)).toContain('OPERATION_TOO_EXPENSIVE');
  await expect.poll(() => plan.innerText()).toContain('rejected');
  expect(await note.isVisible()).toBe(true);
  const meaning = page.locator('.portico-errors details');
  await meaning.locator('summary').click();
  expect(await meaning.locator('p').last().innerText()).toMatch(/^What to do:/);
  expect(await violationsOn(page)).toEqual([]);

  // It stays open while the operation is mended.
  await type(page, 'operation', 'query Mended { health { reachable } }');
  await expect.poll(() => plan.innerText()).toMatch(/^Plan\s*1\s+call/);
  expect(await plannedCalls.count()).toBe(1);
  expect({ paths, errors }).toEqual({ paths: [], errors: [] });
});

withChromium('sends no x-explain where that is off, and keeps it off', async () => {
  const { page, operations } = await startPage();
  const { plan, report } = panelOf(page);
  const explain = page.getByRole('checkbox', { name: 'Explain' });
  await expect.poll(() => plan.innerText()).toContain('1 call');
  await explain.click();
  expect([await plan.count(), await report.count()]).toEqual([0, 0]);
  await page.reload();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  expect(await explain.isChecked()).toBe(false);
  operations.length = 0;
  await run(page);
  await expect.poll(() => result(page)).toContain('"site": {');
  expect(operations.map((sent) => sent.explain)).toEqual([undefined]);
});

withChromium('forecasts the calls of many viewers, without a call, and keeps the fields', async () => {
  const { page, paths } = await startPage();
  const { panel, plan } = panelOf(page);
  await openTab(page, 'Dashboard');
  await expect.poll(() => plan.innerText()).toContain('2 + sites');
  await panel.getByText('Forecast').click();
  const text = () => page.locator('#forecast-note').innerText();
  const viewers = panel.getByRole('spinbutton', { name: 'viewers' });
  expect(await text()).toBe('4,800 (at most 120,000) without, 536 (at most 13,393) with the gateway.');
  await viewers.fill('0');
  await expect.poll(text).toMatch(/^Enter 0\.5 to 86,400 seconds/);
  await viewers.fill('100');
  await expect.poll(text).toMatch(/^2,400 \(at most 60,000\) without/);
  expect(await violationsOn(page)).toEqual([]);
  await page.reload();
  await panel.getByText('Forecast').click();
  expect(await viewers.inputValue()).toBe('100');
  expect(paths).toEqual([]);
});

const env = { LIVE: 'on', LIVE_INTERVAL_S: '1' };
const stop = (page: Page) => page.getByRole('button', { name: /Stop query/ }).click();

withChromium('shows the results of a live query as they come, until it is stopped', async () => {
  const { state, upstream } = await startCity();
  const measured = { ...env, live: { staleMs: 1_000 } };
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
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { state, upstream } = await startCity();
  const { page } = await startPage({ env, upstreamUrl: upstream.url });
  await openTab(page, 'Live');
  await run(page);
  await expect.poll(() => result(page)).toContain('"city": "Bend"');
  const afterHeartbeat = () => {
    vi.advanceTimersByTime(12_000);
    return page.locator('.portico-live').innerText();
  };
  state.status = 500;
  await expect.poll(afterHeartbeat).toMatch(/^Live: 1 event, .* Not checked for \d+ s\.$/);
  state.status = 200;
  await expect.poll(afterHeartbeat).toMatch(/^Live: 1 event, .*; checked at [^.]*\.$/);
});
