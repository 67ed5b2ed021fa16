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
  expect(await report.getByRole('listitem').innerText()).toMatch(/^N\s+network 4$/);
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
  expect(await meaning.locator('p').first().innerText()).toMatch(
    /^Here: This operation needs more than 30 REST calls/,
  );
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

withChromium('takes an empty tab for no error, and a text that is another one for no edit', async () => {
  const { page, errors } = await startPage({ viewport: { width: 1400, height: 900 } });
  const { panel, plan, plannedCalls } = panelOf(page);
  await openTab(page, 'Site');
  await expect.poll(() => plannedCalls.count()).toBe(1);
  const editor = page.locator('.graphiql-query-editor .view-lines');
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('# nothing yet');
  await expect.poll(() => panel.innerText()).toContain('The plan of the operation comes as you type.');
  expect(await panel.innerText()).not.toContain('Syntax Error');
  expect(await plannedCalls.count()).toBe(0);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('query Health { health { reachable } }');
  await expect.poll(() => plan.innerText()).toMatch(/1\s+call/);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('query Typo on SITE-1001');
  await expect.poll(() => panel.innerText()).toContain('This text has no plan: Syntax Error');
  expect(await plannedCalls.count()).toBe(0);
  expect(errors).toEqual([]);
});

withChromium('sends what the switch says, and keeps it', async () => {
  const { page, operations } = await startPage();
  const { plan, madeCalls, panel } = panelOf(page);
  const choose = (name: string) => panel.getByText(name, { exact: true }).first().click();
  /** The plan is requested again when the schema has come. */
  const expectRun = async (expected: string | undefined) => {
    operations.length = 0;
    await run(page);
    const sent = () => operations.map(({ explain }) => explain).filter((explain) => explain !== 'plan');
    await expect.poll(sent).toEqual([expected]);
  };
  await expect.poll(() => plan.innerText()).toContain('1 call');
  await expectRun('report');
  await choose('Plan');
  await expectRun(undefined);
  expect(await madeCalls.count()).toBe(0);
  await choose('Off');
  expect(await panel.getByText('Operations are sent without x-explain.').isVisible()).toBe(true);
  expect(await plan.count()).toBe(0);
  await page.reload();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  expect(await panel.getByRole('radio', { name: 'Off' }).isChecked()).toBe(true);
  await expectRun(undefined);
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

withChromium('is legible in the dark', async () => {
  const { page } = await startPage({ colorScheme: 'dark' });
  await run(page);
  await expect.poll(() => panelOf(page).bars.count()).toBe(1);
  expect(await violationsOn(page)).toEqual([]);
});

withChromium.each([
  ['phone', { width: 390, height: 844 }],
  ['tablet', { width: 820, height: 1180 }],
])('fits a %s, with every call of a run', async (_, viewport) => {
  const { page } = await startPage({ viewport });
  await openTab(page, 'Dashboard');
  await expect.poll(() => panelOf(page).plan.innerText()).toContain('2 + sites');
  await run(page);
  await expect.poll(() => panelOf(page).bars.count()).toBe(4);
  await expect.poll(() => result(page)).toContain('"site": {');
  const box = async (selector: string) =>
    (await page.locator(selector).boundingBox()) ?? expect.unreachable();
  expect((await box('.result-window')).width).toBeGreaterThan(300);
  expect((await box('.graphiql-query-editor')).width).toBeGreaterThan(300);
  const panel = await box('.graphiql-plugin');
  const calls = await box('.portico-waterfall');
  expect(calls.y + calls.height).toBeLessThanOrEqual(panel.y + panel.height);
  const { width, height } = await page.evaluate<typeof viewport>(
    '(({ scrollWidth: width, scrollHeight: height }) => ({ width, height }))(document.documentElement)',
  );
  expect(width).toBe(viewport.width);
  expect(height - (await box('#root')).height).toBeLessThan(10);
  expect(await violationsOn(page)).toEqual([]);
});
