import { chromium } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { executablePath, withChromium } from '../../support/browser.ts';
import { freshDatabasePath } from '../support/database.ts';
import { issueLink } from '../support/keys.ts';
import { startFresh } from '../support/server.ts';

withChromium('shows the key in a browser, with its style sheet', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const reference = await startFresh({ databaseUrl });
  const { target, name } = await issueLink(databaseUrl);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  await page.goto(`${reference.url}${target}`);
  const button = page.getByRole('button', { name: 'Show the key' });
  expect(await button.evaluate((element) => element.ownerDocument.styleSheets.length)).toBe(1);
  await button.click();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  expect(await page.locator('pre').textContent()).toMatch(new RegExp(`^${name}[0-9a-z]{32}$`));
  expect(messages).toEqual([]);
});
