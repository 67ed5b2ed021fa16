import { existsSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabasePath } from '../support/database.ts';
import { issueLink } from '../support/keys.ts';
import { startFresh } from '../support/server.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) {
  console.warn(
    `SKIPPED: the test of link pages needs Chromium at ${executablePath}; CHROMIUM_PATH names another.`,
  );
}

/** An empty page, and what the browser complains about while it is open. */
async function openPage(): Promise<{ page: Page; complaints: string[] }> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

it.skipIf(!existsSync(executablePath))(
  'leads a person in a browser to the key, in its own style',
  async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const reference = await startFresh({ databaseUrl });
    const { target, name } = await issueLink(databaseUrl);
    const { page, complaints } = await openPage();
    await page.goto(`${reference.url}${target}`);
    const button = page.getByRole('button', { name: 'Show the key' });
    expect(await button.evaluate((element) => element.ownerDocument.styleSheets.length)).toBe(1);
    await button.click();
    await page.getByRole('heading', { name: 'Your API key' }).waitFor();
    const key = await page.locator('pre').textContent();
    expect(key).toMatch(new RegExp(`^${name}[0-9a-z]{32}$`));
    expect(complaints).toEqual([]);
    expect(
      (await fetch(`${reference.url}/v1/health`, { headers: { 'x-api-key': String(key) } })).status,
    ).toBe(200);
    await page.goto(`${reference.url}${target}`);
    await page.getByRole('heading', { name: 'There is nothing to show here' }).waitFor();
  },
);
