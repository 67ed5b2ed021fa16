import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { openBrowser } from '../support/browser.ts';
import { apiKey } from '../support/gateway.ts';
import { listen } from '../support/ports.ts';
import type { Guide } from './guide.ts';

/** The clients of the page that have a component for React. */
export const reactClients = ['urql', 'Apollo Client', 'Relay'] as const;

declare global {
  interface Window {
    /** Of the entry point in guide.ts. */
    openPages(
      name: string,
      portico: { url: string; apiKey: string },
    ): (page: 'site' | 'liveSite', id?: string, isSame?: boolean) => void;
  }
}

const html = `<!doctype html>
<html lang="en">
  <title>Site</title>
  <link rel="icon" href="data:," />
  <main></main>
  <script type="module" src="/src/pages.js"></script>
</html>`;

/** Serves the bundled modules of the guide, and `/graphql` with the key; `disconnects`: closes that. */
async function startFrontend(guide: Guide, gatewayUrl: string, disconnects: boolean): Promise<string> {
  const server = createServer(async (req, res) => {
    const path = req.url ?? '/';
    if (path === '/graphql') {
      if (disconnects) return req.socket.destroy();
      const { host: _, ...headers } = req.headers;
      const forwarded = request(gatewayUrl, { method: 'POST', headers: { ...headers, 'x-api-key': apiKey } });
      forwarded.on('response', (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(res);
      });
      res.on('close', () => forwarded.destroy());
      return req.pipe(forwarded);
    }
    const isModule = path.endsWith('.js');
    res.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    return res.end(isModule ? await readFile(join(guide.bundles, path)) : html);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** The page of a client in a browser, which has no key. */
export async function openSitePage(
  guide: Guide,
  name: (typeof reactClients)[number],
  gatewayUrl: string,
  { disconnects = false } = {},
) {
  const origin = await startFrontend(guide, gatewayUrl, disconnects);
  const { page, errors } = await openBrowser(origin, {});
  await page.goto(origin);
  const show = await page.evaluateHandle(
    (name) => window.openPages(name, { url: `${location.origin}/graphql`, apiKey: '' }),
    name,
  );
  return {
    page,
    errors,
    /** Shows the page of a site, in place of the one before, with the same client. */
    show: (id: string) => show.evaluate((show, id) => show('site', id), id),
    /** The same of a live query. */
    showLive: (id: string) => show.evaluate((show, id) => show('liveSite', id), id),
    /** Gives the page of a site the id of another one. */
    change: (id: string) => show.evaluate((show, id) => show('site', id, true), id),
    /** Removes the page. */
    unmount: () => show.evaluate((show) => show('site')),
    text: () => page.locator('main').innerText(),
  };
}
