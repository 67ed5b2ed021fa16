import { expect } from 'vitest';
import {
  marks,
  openTab,
  panelOf,
  result,
  run,
  startPage,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';
import { sendJson, startUpstream } from '../../support/upstream.ts';

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
  expect(await plannedCalls.count()).toBe(31);
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
  await page.locator('.graphiql-query-editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('query Mended { health { reachable } }');
  await expect.poll(() => plan.innerText()).toMatch(/^Plan\s*1\s+call/);
  expect(await plannedCalls.count()).toBe(1);
  expect(paths).toEqual([]);
  expect(errors).toEqual([expect.stringContaining('status of 400')]);
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

withChromium('shows the plan as the response where the headers ask for it', async () => {
  const { page } = await startPage();
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await page.locator('section[aria-label=Headers] .graphiql-editor:not(.hidden) .view-line').first().click();
  await page.keyboard.insertText('{ "x-explain": "plan" }');
  await expect
    .poll(() => run(page).then(() => result(page)), { interval: 500 })
    .toContain('"extensions": { "plan": { "calls": [');
});

withChromium('forecasts the calls of many viewers, without a call, and keeps the fields', async () => {
  const { page, paths } = await startPage();
  const { panel, plan } = panelOf(page);
  await openTab(page, 'Dashboard');
  await expect.poll(() => plan.innerText()).toContain('2 + sites');
  await panel.getByText('Forecast').click();
  const text = () => page.locator('#forecast-note').innerText();
  const viewers = panel.getByRole('spinbutton', { name: 'viewers' });
  expect(await text()).toBe('4,800, at most 120,000 without, 536, at most 13,393 with the gateway.');
  await viewers.fill('0');
  await expect.poll(text).toMatch(/^Enter 0\.5 to 86,400 seconds/);
  await viewers.fill('100');
  await expect.poll(text).toMatch(/^2,400, at most 60,000 without/);
  expect(await violationsOn(page)).toEqual([]);
  await page.reload();
  await panel.getByText('Forecast').click();
  expect(await viewers.inputValue()).toBe('100');
  expect(paths).toEqual([]);
});

withChromium('forecasts a live query as its polls, too, with the interval of its document', async () => {
  const { page } = await startPage({ env: { LIVE: 'on', LIVE_INTERVAL_S: '1' } });
  await openTab(page, 'Live');
  await panelOf(page).plan.getByText('every 1 s').waitFor();
  await panelOf(page).panel.getByText('Forecast').click();
  expect(await page.locator('#forecast-note').innerText()).toBe(
    '12,000 without, 295 with the gateway, 55 as a live query.',
  );
});

withChromium('counts no call that was not made', async () => {
  const upstream = await startUpstream((_, res) => sendJson(res, {}, 429, { 'retry-after': '600' }));
  const search = { query: '{ site(id: "SITE-1") { city } }' };
  const { page } = await startPage({ upstreamUrl: upstream.url, search });
  const { report } = panelOf(page);
  await run(page);
  await report.getByText(/^1 call in/).waitFor();
  await run(page);
  await report.getByText(/^0 calls in/).waitFor();
  await report.getByText('rate-limited').waitFor();
  expect(upstream.requests).toHaveLength(1);
});
