import { existsSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../src/gateway.ts';
import { demoConversations, demoKeys, demoSites } from '../../src/reference/data/demo-ids.ts';
import { createLogger } from '../../src/telemetry/logs/logger.ts';
import { testConfig } from '../support/gateway.ts';
import { startReference } from '../support/reference.ts';

/** Enough for a page on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000;

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const withChromium = it.skipIf(!existsSync(executablePath));
if (!existsSync(executablePath)) {
  console.warn(`SKIPPED: the browser tests need Chromium at ${executablePath}; CHROMIUM_PATH names another.`);
}

async function startPage(apiKey: string) {
  const reference = await startReference();
  const gateway = createGateway({
    config: testConfig({ UPSTREAM_URL: reference.url }),
    upstreamUrl: new URL(reference.url),
    example: { apiKey, siteId: demoSites().main, conversationId: demoConversations.main },
    logger: createLogger('silent', { write: () => {} }),
  });
  const { url, close } = await gateway.start();
  onTestFinished(close);
  return { origin: url, paths: reference.paths, ...(await openBrowser(url)) };
}

/** A page that reaches `origin` only, with the requests that it made elsewhere and its errors. */
async function openBrowser(origin: string) {
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  onTestFinished(() => browser.close());
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const outside: string[] = [];
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(`${origin}/`)) return route.continue();
    outside.push(url);
    return route.abort();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(`${origin}/graphql`);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  return { page, outside, errors };
}

const run = (page: Page) => page.getByRole('button', { name: /Execute query/ }).click();
const result = async (page: Page) =>
  (await page.locator('.result-window .view-lines').innerText()).replace(/\s+/g, ' ');

withChromium('shows data on the first click on Run, from this origin only', async () => {
  const { page, outside, errors, paths } = await startPage(demoKeys.acme);
  await run(page);
  await expect.poll(() => result(page)).toContain('"site": { "id": "SITE-1001"');
  expect(paths).toEqual(['/v1/site/SITE-1001?include=clients']);
  expect(await page.title()).toBe('Portico GraphiQL');
  expect(await page.locator('section.graphiql-editor-tool:visible').innerText()).toContain(demoKeys.acme);
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  expect({ outside, errors }).toEqual({ outside: [], errors: [] });
});

withChromium('opens tabs with a site, a conversation and a dashboard, each of which runs', async () => {
  const { page, errors } = await startPage(demoKeys.acme);
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Site', 'Conversation', 'Dashboard']);
  for (const [name, expected] of [
    ['Conversation', '"conversationContext": { "subject"'],
    ['Dashboard', '"primaryProject": { "name"'],
  ] as const) {
    await page.getByRole('tab', { name }).getByRole('button').first().click();
    // The page has the name of the operation a moment after the tab opens.
    await expect.poll(() => run(page).then(() => result(page)), { interval: 500 }).toContain(expected);
  }
  expect(errors).toEqual([]);
});

withChromium('shows the error of a missing key', async () => {
  const { page } = await startPage('');
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes('query Site') === true,
  );
  await run(page);
  expect((await answered).status()).toBe(403);
  await expect.poll(() => result(page)).toContain('Send exactly one API key, in the x-api-key header.');
});
