import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { createAppFiles } from '../../examples/dashboard/server/app-files.ts';
import { type BackendOptions, createBackend } from '../../examples/dashboard/server/backend.ts';
import { hasChromium, openBrowser } from './browser.ts';
import { root } from './files.ts';
import { apiKey } from './gateway.ts';

export const example = join(root, 'examples/dashboard');
export const manifest = join(example, 'src/generated/persisted-documents.json');

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

/** The backend of the dashboard before the gateway at `gatewayUrl`, until the end of the test. */
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

/** A build for the tests of a file. */
export function useDashboard(settings: Record<string, string> = {}) {
  let app: RequestListener | undefined;
  beforeAll(async () => {
    if (!hasChromium) return;
    const folder = buildDashboard(settings);
    app = createAppFiles(folder);
    await rm(folder, { recursive: true });
  });

  return {
    /** Serves the build before the gateway at `gatewayUrl`, and returns the address. */
    async serve(gatewayUrl: string, key = apiKey): Promise<string> {
      if (!app) throw new Error('No build.');
      return (await startBackend(gatewayUrl, { app, key })).origin;
    },

    /** Opens a page in a new profile. What goes wrong in it is in `faults`. */
    async openPage(origin: string, path: string, options: BrowserContextOptions = {}) {
      const { errors: faults, ...opened } = await openBrowser(origin, options);
      await opened.page.goto(`${origin}${path}`);
      return { ...opened, faults };
    },
  };
}

/** With SCREENSHOTS=folder the pages are there to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
