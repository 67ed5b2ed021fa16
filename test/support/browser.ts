import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { it, onTestFinished } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../reference/data/demo-ids.ts';
import { openGateway, type TestSettings } from './gateway.ts';
import { startReference } from './reference.ts';

/** Enough for a page on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000;

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
export const hasChromium = existsSync(executablePath);
let browser: Browser | undefined;

/** Tests with pages in a browser, which is started once for those of a file. */
export const withChromium = it
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no other fixture.
  .extend('browser', { scope: 'file', auto: true }, async ({}, { onCleanup }) => {
    const launched = await chromium.launch({
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
    onCleanup(() => launched.close());
    browser = launched;
    return launched;
  })
  .skipIf(!hasChromium);
if (!hasChromium) {
  console.warn(`SKIPPED: the browser tests need Chromium at ${executablePath}; CHROMIUM_PATH names another.`);
}

interface PageOptions extends BrowserContextOptions {
  /** The key that the page offers. */
  apiKey?: string;
  env?: TestSettings;
  upstreamUrl?: string;
  search?: Record<string, string>;
}

/** GraphiQL in a browser, in front of a gateway and the reference, until the end of the test. */
export async function startPage(options: PageOptions = {}) {
  const { apiKey = demoKeys.acme, search, env, upstreamUrl, ...context } = options;
  const reference = upstreamUrl === undefined ? await startReference() : { url: upstreamUrl, paths: [] };
  const example = { apiKey, siteId: demoSites().main, conversationId: demoConversations.main };
  const gateway = await openGateway(reference.url, env, example);
  onTestFinished(gateway.close);
  const { origin } = gateway;
  const opened = await openBrowser(origin, context);
  await opened.page.goto(`${origin}/graphql${search ? `?${new URLSearchParams(search)}` : ''}`);
  await opened.page.locator('.graphiql-query-editor .view-line').first().waitFor();
  return { ...gateway, paths: reference.paths, ...opened };
}

interface SentOperation {
  explain: string | undefined;
  key: string | undefined;
  query: string;
}

/** A page in a new profile that reaches `origin` only, with its operations, and its errors: a request elsewhere is one. */
export async function openBrowser(origin: string, options: BrowserContextOptions) {
  if (!browser) throw new Error('A test with a page is one of withChromium.');
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const errors: string[] = [];
  const operations: SentOperation[] = [];
  await context.route('**/*', (route) => {
    const request = route.request();
    if (!request.url().startsWith(`${origin}/`)) {
      errors.push(`reached ${request.url()}`);
      return route.abort();
    }
    // A trusted document has an id in place of its text.
    const { query = '' } = request.method() === 'POST' ? request.postDataJSON() : {};
    const { 'x-explain': explain, 'x-api-key': key } = request.headers();
    if (query !== '' && !query.includes('__schema')) operations.push({ explain, key, query });
    return route.continue();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    const isError = ['error', 'warning'].includes(message.type());
    // A browser logs every response that is no success.
    if (isError && !message.text().startsWith('Failed to load resource')) errors.push(message.text());
  });
  return { page, context, operations, errors };
}

export const run = (page: Page) => page.getByRole('button', { name: /Execute query/ }).click();

/** The visible text of the response. */
export const result = async (page: Page) =>
  (await page.locator('.result-window .view-lines').innerText()).replace(/\s+/g, ' ');

/** The buttons that open the tabs. */
export const tabsOf = (page: Page) => page.locator('.graphiql-tab-button');

const editors = {
  operation: '.graphiql-query-editor',
  headers: 'section[aria-label=Headers] .graphiql-editor:not(.hidden)',
};

/** Replaces the text of an editor. */
export async function type(page: Page, editor: keyof typeof editors, text: string): Promise<void> {
  if (editor === 'headers') await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await page.locator(`${editors[editor]} .view-line`).first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

/** Opens a tab by the name of its operation, and waits for its text. */
export async function openTab(page: Page, name: string): Promise<void> {
  await tabsOf(page).filter({ hasText: name }).click();
  await page.locator('.graphiql-query-editor .view-lines').getByText(name).first().waitFor();
}

export const panelOf = (page: Page) => {
  const panel = page.getByRole('region', { name: 'REST calls' });
  return {
    panel,
    plan: panel.locator('.portico-plan > summary'),
    plannedCalls: panel.getByRole('table', { name: /planned/ }).getByRole('button'),
    report: panel.getByRole('region', { name: 'Last run' }),
    bars: panel.locator('.portico-bar'),
    madeCalls: panel.getByRole('table', { name: /last run/ }).getByRole('button'),
  };
};

/** The fields that are marked in the editor. */
export const marks = (page: Page) => page.locator('.portico-marked-field');

/** The violations that axe finds on a page, by rule. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run()',
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}
