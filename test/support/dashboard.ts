import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createAppFiles } from '../../examples/dashboard/server/app-files.ts';
import { type BackendOptions, createBackend } from '../../examples/dashboard/server/backend.ts';
import { executablePath } from './browser.ts';
import { root } from './files.ts';
import { apiKey } from './gateway.ts';

export const example = join(root, 'examples/dashboard');
export const manifest = join(example, 'src/generated/persisted-documents.json');

const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.warn(`SKIPPED: the tests of the dashboard need Chromium at ${executablePath}.`);
export const withBrowser = it.skipIf(!hasBrowser);

/** Builds the dashboard as it is now, into a folder of its own: files run at the same time. */
export function buildDashboard(settings: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-dashboard-'));
  // The environment of the tests would make it a build for development.
  const env = { ...process.env, NODE_ENV: 'production', ...settings };
  const args = ['run', 'build', '--', '--outDir', folder, '--emptyOutDir'];
  const built = spawnSync('npm', args, { cwd: example, env, encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
  return folder;
}

export interface BackendSetup {
  app: RequestListener;
  key?: string;
  isSecure?: boolean;
  signIn?: BackendOptions['signIn'];
}

/**
 * The backend of the dashboard on a free port, before the gateway at `gatewayUrl`, closed at the end of the
 * test.
 */
export async function startBackend(gatewayUrl: string, { key = apiKey, ...setup }: BackendSetup) {
  const hosts = new Set<string>();
  const gateway = new URL(gatewayUrl);
  const signIn = async () => key;
  const { server, drain } = createBackend({ gateway, hosts, isSecure: false, signIn, ...setup });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  hosts.add(`127.0.0.1:${port}`);
  onTestFinished(async () => {
    if (server.listening) await drain(0);
  });
  return { origin: `http://127.0.0.1:${port}`, port, drain };
}

/** A build and a browser for the tests of a file. */
export function useDashboard(settings: Record<string, string> = {}) {
  let browser: Browser | undefined;
  let app: RequestListener | undefined;
  beforeAll(async () => {
    if (!hasBrowser) return;
    const folder = buildDashboard(settings);
    app = createAppFiles(folder);
    await rm(folder, { recursive: true });
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(() => browser?.close());

  return {
    /** Serves the build before the gateway at `gatewayUrl`, and returns the address. */
    async serve(gatewayUrl: string, key = apiKey): Promise<string> {
      if (!app) throw new Error('No build.');
      return (await startBackend(gatewayUrl, { app, key })).origin;
    },

    /**
     * Opens a page in a new profile. What goes wrong in it is in `faults`; so is each other origin that it
     * reaches.
     */
    async openPage(origin: string, path: string, options: BrowserContextOptions = {}) {
      if (!browser) throw new Error('No browser.');
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      onTestFinished(() => context.close());
      const faults: string[] = [];
      context.on('request', (request) => {
        if (!request.url().startsWith(`${origin}/`)) faults.push(`reached ${request.url()}`);
      });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        const isFault = ['error', 'warning'].includes(message.type());
        // A browser logs every response that is no success.
        if (isFault && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
      });
      await page.goto(`${origin}${path}`);
      return { page, context, faults };
    },
  };
}

/** With SCREENSHOTS=folder the pages are there to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
