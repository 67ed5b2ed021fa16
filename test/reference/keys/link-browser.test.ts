import { chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { executablePath, withChromium } from '../../support/browser.ts';
import { freshDatabasePath } from '../support/database.ts';
import { issueLink } from '../support/keys.ts';
import { startFresh } from '../support/server.ts';

/** An empty page, and the console messages and errors of the browser. */
async function openPage(): Promise<{ page: Page; messages: string[] }> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  return { page, messages };
}

withChromium('shows the key in a browser, with its style sheet', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const reference = await startFresh({ databaseUrl });
  const { target, name } = await issueLink(databaseUrl);
  const { page, messages } = await openPage();
  await page.goto(`${reference.url}${target}`);
  const button = page.getByRole('button', { name: 'Show the key' });
  expect(await button.evaluate((element) => element.ownerDocument.styleSheets.length)).toBe(1);
  await button.click();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  const key = await page.locator('pre').textContent();
  expect(key).toMatch(new RegExp(`^${name}[0-9a-z]{32}$`));
  expect(messages).toEqual([]);
  expect((await fetch(`${reference.url}/v1/health`, { headers: { 'x-api-key': String(key) } })).status).toBe(
    200,
  );
  await page.goto(`${reference.url}${target}`);
  await page.getByRole('heading', { name: 'There is nothing to show here' }).waitFor();
});
