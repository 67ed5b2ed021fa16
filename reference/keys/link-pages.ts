import { createHash } from 'node:crypto';
import { isUnavailable } from '../database/errors.ts';
import { RETRY_AFTER_S } from '../http/problems.ts';
import type { ApiResponse } from '../http/response.ts';
import { nameFromKey } from './keys.ts';
import type { Links } from './links.ts';

/** On one line: the Content-Security-Policy allows exactly this text, by its hash. */
const STYLE = `:root{color-scheme:light dark;font:1.0625rem/1.6 system-ui,sans-serif}body{margin:0;padding:12vh 1.5rem}main{max-width:36rem;margin:auto}h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}button{font:inherit;font-weight:600;margin-top:.5rem;padding:.6rem 1.25rem;border:0;border-radius:.5rem;background:#1d4ed8;color:#fff;cursor:pointer}button:hover{background:#1e40af}button:focus-visible{outline:3px solid #60a5fa;outline-offset:2px}pre{margin:1.25rem 0;padding:1rem;border:1px solid #8886;border-radius:.5rem;overflow-wrap:anywhere;white-space:pre-wrap;font:1.0625rem/1.5 ui-monospace,monospace;user-select:all}code{font-family:ui-monospace,monospace}`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

const headers = Object.entries({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}).flat();

/**
 * Responds for one-time links (section 5.8), at `/link/{token}`. GET shows a button and changes nothing, because
 * mail scanners follow links; POST shows the key once. Used, expired, revoked and unknown links get the same
 * page. `onFault` is called with the error behind a 500 or 503. The path holds the token, so these requests
 * must not be logged.
 */
export function createLinkPages(links: Links, onFault: (error: unknown) => void = () => {}) {
  return async (method: string, path: string): Promise<ApiResponse> => {
    const [, token = ''] = /^\/link\/([^/]+)$/.exec(path) ?? [];
    try {
      if (token === '') return responseFromPage(404, notFoundPage);
      if (method === 'POST') {
        const key = await links.open(token);
        return key === null ? responseFromPage(404, notFoundPage) : responseFromPage(200, keyPage(key));
      }
      if (method !== 'GET' && method !== 'HEAD')
        return responseFromPage(405, notFoundPage, ['allow', 'GET, HEAD, POST']);
      return (await links.has(token))
        ? responseFromPage(200, buttonPage)
        : responseFromPage(404, notFoundPage);
    } catch (error) {
      onFault(error);
      return isUnavailable(error)
        ? responseFromPage(503, errorPage, ['retry-after', RETRY_AFTER_S])
        : responseFromPage(500, errorPage);
    }
  };
}

function responseFromPage(status: number, body: string, more: readonly string[] = []): ApiResponse {
  return { status, type: 'text/html; charset=UTF-8', body, headers: [...headers, ...more] };
}

const buttonPage = page(
  'Your API key is ready',
  `<p>This page shows the key <strong>once</strong>. Have a safe place for it at hand, such as your secrets manager, before you go on.</p>
<form method="post"><button>Show the key</button></form>`,
);

const notFoundPage = page(
  'There is nothing to show here',
  `<p>A link shows its key once and only for a limited time. This one was used, has expired, or never existed.</p>
<p>If you did not see the key yourself, tell support at once: they revoke it and send another.</p>`,
);

const errorPage = page(
  'This page failed to answer',
  `<p>Try the link again in a minute. If it shows you nothing then, tell support: they send another.</p>`,
);

function keyPage(key: string): string {
  return page(
    'Your API key',
    `<pre>${key}</pre>
<p>It is shown <strong>only now</strong> and cannot be retrieved again. Copy it before you close or reload this page.</p>
<p>Send it with every request as the value of the header <code>x-api-key</code>. Its first eight characters, <code>${nameFromKey(key)}</code>, are its public name: support needs no more of it to revoke it, so never send them the rest.</p>`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
