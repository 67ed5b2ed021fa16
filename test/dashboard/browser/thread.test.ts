import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoConversations, demoKeys } from '../../../reference/data/demo-ids.ts';
import { withChromium } from '../../support/browser.ts';
import { useDashboard } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { sendJson, startUpstream } from '../../support/upstream.ts';

const { serve, openPage } = useDashboard();
const many = `/conversation/${demoConversations.with300Messages}`;

async function start() {
  const reference = await startReference();
  const gateway = await startGateway(reference.url);
  return { paths: reference.paths, origin: await serve(gateway.url, demoKeys.acme) };
}

/** Whether a message is in the window, at the top of it or at the end of the page. */
const isInWindow = (page: Page, number: number) =>
  page.evaluate(
    `(() => { const { top, bottom } = document.getElementById('m-${number}').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })()`,
  );
const focused = (page: Page) => page.evaluate('document.activeElement.id');
/** The ids of the messages on the page, from top to bottom. */
const shownOn = (page: Page) =>
  page.locator('.thread > li').evaluateAll((items) => items.map(({ id }) => id));
const newestFirst = (page: Page) => page.getByRole('checkbox', { name: 'Newest first' });

withChromium('opens the message that an address or a link names, in either order', async () => {
  const { origin, paths } = await start();
  const { page, faults } = await openPage(origin, '/', { viewport: { width: 390, height: 844 } });
  await page.getByRole('textbox').fill(`${origin}${many}#m-150`);
  await page.getByRole('button', { name: 'Open' }).click();
  await expect.poll(() => focused(page)).toBe('m-150');
  await expect.poll(() => isInWindow(page, 150)).toBe(true);
  expect(await page.locator('.is-linked').getAttribute('id')).toBe('m-150');
  await page.locator('#m-152').getByRole('link', { name: '#152: link to this message' }).click();
  expect(new URL(page.url()).hash).toBe('#m-152');
  await expect.poll(() => focused(page)).toBe('m-152');
  await page.goBack();
  await expect.poll(() => focused(page)).toBe('m-150');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(paths.filter((path) => path.includes('/conversation/'))).toHaveLength(1);

  // A filter ends that hides it.
  await newestFirst(page).check();
  const internal = page.getByRole('radio', { name: 'Internal' });
  await internal.check();
  const [visible = ''] = await shownOn(page);
  await page.evaluate((id) => {
    location.hash = `#${id}`;
  }, visible);
  await expect.poll(() => focused(page)).toBe(visible);
  expect(await internal.isChecked()).toBe(true);
  await page.evaluate("location.hash = '#m-1'");
  await expect.poll(() => focused(page)).toBe('m-1');
  await expect.poll(() => isInWindow(page, 1)).toBe(true);
  expect(await page.getByRole('radio', { name: 'All' }).isChecked()).toBe(true);
  expect(faults).toEqual([]);
});

withChromium('orders messages by their times, and adds one that arrives while the page is live', async () => {
  const days = ['2025-03-01', '2025-03-04', undefined, '2025-03-02', '2025-03-03', '2025-03-03'];
  const messages = days.map((day) => ({
    text: `Of ${day}.`,
    createdAt: day === undefined ? null : `${day}T10:00:00Z`,
  }));
  const upstream = await startUpstream((_req, res) => sendJson(res, { subject: 'A leak', messages }));
  const gateway = await startGateway(upstream.url, { LIVE: 'on', LIVE_INTERVAL_S: '1' });
  const { page, faults } = await openPage(await serve(gateway.url), `${many}#m-7`, {
    timezoneId: 'Asia/Kolkata',
    locale: 'en-GB',
  });
  await page.getByText('The conversation has no message 7.').waitFor();
  expect(await shownOn(page)).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6']);
  // In the time zone of the reader.
  expect(await page.locator('#m-1 time').innerText()).toBe('1 Mar 2025, 15:30 GMT+5:30');
  await newestFirst(page).check();
  await expect.poll(() => shownOn(page)).toEqual(['m-3', 'm-2', 'm-6', 'm-5', 'm-4', 'm-1']);
  await page.getByRole('switch', { name: 'Live' }).click();
  messages.push({ text: 'The last.', createdAt: '2025-03-05T10:00:00Z' });
  await expect.poll(async () => (await shownOn(page))[0]).toBe('m-7');
  expect(faults).toEqual([]);
});
