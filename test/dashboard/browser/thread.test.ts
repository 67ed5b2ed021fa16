import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { demoConversations, demoKeys } from '../../../reference/data/demo-ids.ts';
import { violationsOn } from '../../support/browser.ts';
import { screenshot, useDashboard, withBrowser } from '../../support/dashboard.ts';
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

withBrowser.each([
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
])('opens a conversation at a message that the address names: $width pixels', async (viewport) => {
  const { origin, paths } = await start();
  const { page, faults } = await openPage(origin, `${many}#m-150`, { viewport });
  await expect.poll(() => focused(page)).toBe('m-150');
  await expect.poll(() => isInWindow(page, 150)).toBe(true);
  expect(await page.locator('.is-linked').getAttribute('id')).toBe('m-150');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);

  await page.locator('#m-152').getByRole('link', { name: '#152: link to this message' }).click();
  expect(new URL(page.url()).hash).toBe('#m-152');
  await expect.poll(() => focused(page)).toBe('m-152');
  await page.goBack();
  await expect.poll(() => focused(page)).toBe('m-150');
  await screenshot(page, `message-${viewport.width}`, { isWhole: false });
  expect(paths.filter((path) => path.includes('/conversation/'))).toHaveLength(1);
  expect(faults).toEqual([]);
});

withBrowser('opens the message of a link that is entered', async () => {
  const { origin } = await start();
  const { page } = await openPage(origin, '/');
  await page.getByRole('textbox').fill(`${origin}${many}#m-150`);
  await page.getByRole('button', { name: 'Open' }).click();
  await expect.poll(() => focused(page)).toBe('m-150');
  await expect.poll(() => isInWindow(page, 150)).toBe(true);
  expect(page.url()).toBe(`${origin}${many}#m-150`);
  await page.getByRole('textbox').fill(`https://crm.example.com/#/threads/${demoConversations.main}`);
  await page.getByRole('button', { name: 'Open' }).click();
  await expect.poll(() => page.url()).toBe(`${origin}/conversation/${demoConversations.main}`);
});

/** The ids of the messages on the page, from top to bottom. */
const shownOn = (page: Page) =>
  page.locator('.thread > li').evaluateAll((items) => items.map(({ id }) => id));
const newestFirstOn = (page: Page) => page.getByRole('checkbox', { name: 'Newest first' });

withBrowser.each([
  { name: 'desktop', viewport: { width: 1280, height: 900 }, colorScheme: 'light' as const },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' as const },
  { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' as const },
])('shows the newest messages first on request, also after a reload: $name', async ({ name, ...options }) => {
  const { origin, paths } = await start();
  const { page, faults } = await openPage(origin, many, options);
  const isNewestFirst = newestFirstOn(page);
  await isNewestFirst.waitFor();
  const first = await shownOn(page);
  expect([first.length, first.at(0), first.at(-1)]).toEqual([300, 'm-1', 'm-300']);
  await isNewestFirst.focus();
  await page.keyboard.press('Space');
  await expect.poll(() => shownOn(page)).toEqual(first.toReversed());
  expect(paths.filter((path) => path.includes('/conversation/'))).toHaveLength(1);
  expect(await violationsOn(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
  await screenshot(page, `newest-first-${name}`, { isWhole: false });

  await page.reload();
  await expect.poll(() => shownOn(page)).toEqual(first.toReversed());
  expect(await isNewestFirst.isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'Internal' }).check();
  const internal = await shownOn(page);
  await isNewestFirst.uncheck();
  await expect.poll(() => shownOn(page)).toEqual(internal.toReversed());
  expect(faults).toEqual([]);
});

withBrowser(
  'opens a message that the address names in either order, and ends a filter that hides it',
  async () => {
    const { origin } = await start();
    const { page } = await openPage(origin, many);
    await newestFirstOn(page).check();
    const internal = page.getByRole('radio', { name: 'Internal' });
    await internal.check();
    const [visible = ''] = await shownOn(page);
    await page.evaluate((id) => {
      location.hash = `#${id}`;
    }, visible);
    await expect.poll(() => focused(page)).toBe(visible);
    expect(await internal.isChecked(), 'the filter stays, because it shows the message').toBe(true);
    await page.evaluate("location.hash = '#m-1'");
    await expect.poll(() => focused(page)).toBe('m-1');
    await expect.poll(() => isInWindow(page, 1)).toBe(true);
    expect(await page.getByRole('radio', { name: 'All' }).isChecked()).toBe(true);
    expect((await shownOn(page)).at(-1)).toBe('m-1');
    await page.goto(`${origin}/`);
    await page.goto(`${origin}${many}#m-150`);
    await expect.poll(() => focused(page)).toBe('m-150');
    await expect.poll(() => isInWindow(page, 150)).toBe(true);
  },
);

withBrowser('orders messages by their times, and says that a message does not exist', async () => {
  const days = ['2025-03-01', '2025-03-04', undefined, '2025-03-02', '2025-03-03', '2025-03-03'];
  const messages = days.map((day) => ({
    text: `Of ${day}.`,
    createdAt: day === undefined ? null : `${day}T10:00:00Z`,
  }));
  const upstream = await startUpstream((_req, res) => sendJson(res, { subject: 'A leak', messages }));
  const origin = await serve((await startGateway(upstream.url)).url);
  const { page, faults } = await openPage(origin, `${many}#m-7`);
  await page.getByText('The conversation has no message 7.').waitFor();
  expect(await shownOn(page)).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6']);
  await newestFirstOn(page).check();
  await expect.poll(() => shownOn(page)).toEqual(['m-3', 'm-2', 'm-6', 'm-5', 'm-4', 'm-1']);
  await page.evaluate("location.hash = '#m-2'");
  await expect.poll(() => focused(page)).toBe('m-2');
  await page.getByText('The conversation has no message 7.').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

withBrowser(
  'adds a message that arrives while the page is live at the end that the order gives it',
  async () => {
    const messages = [{ text: 'First.', createdAt: '2025-03-01T10:00:00Z' }];
    const upstream = await startUpstream((_req, res) => sendJson(res, { subject: 'A leak', messages }));
    const gateway = await startGateway(upstream.url, { LIVE: 'on', LIVE_INTERVAL_S: '1' });
    const { page, faults } = await openPage(await serve(gateway.url), many);
    await page.getByText('First.').waitFor();
    await page.getByRole('switch', { name: 'Live' }).click();
    messages.push({ text: 'Second.', createdAt: '2025-03-02T10:00:00Z' });
    await expect.poll(() => shownOn(page)).toEqual(['m-1', 'm-2']);
    await newestFirstOn(page).check();
    messages.push({ text: 'Third.', createdAt: '2025-03-03T10:00:00Z' });
    await expect.poll(() => shownOn(page)).toEqual(['m-3', 'm-2', 'm-1']);
    expect(faults).toEqual([]);
  },
);

withBrowser('shows times with their zone, which is that of the reader', async () => {
  const { origin } = await start();
  const main = `/conversation/${demoConversations.main}`;
  const { page } = await openPage(origin, main, { timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
  const time = page.locator('#m-1 time');
  expect(await time.getAttribute('datetime')).toMatch(/^2024-03-31T19:43:/);
  expect(await time.innerText()).toBe('1 Apr 2024, 01:13 GMT+5:30');
});
