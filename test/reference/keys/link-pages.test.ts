import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeyAdmin } from '../../../reference/keys/admin.ts';
import { createToken } from '../../../reference/keys/link-encryption.ts';
import type { WireResponse } from '../../support/wire.ts';
import { freshDatabasePath, onEngines, openDatabase } from '../support/database.ts';
import { issueLink, keyOn, press, pressTogether } from '../support/keys.ts';
import { sendRequest, startFresh } from '../support/server.ts';

const DAY_MS = 86_400_000;

/** The response without its date. */
function contentOf({ status, headers, body }: WireResponse) {
  const { date, ...rest } = headers;
  return { status, headers: rest, body };
}

async function startWithLink(databaseUrl?: string) {
  const url = databaseUrl ?? `file:${await freshDatabasePath()}`;
  const reference = await startFresh({ databaseUrl: url });
  return { url, reference, ...(await issueLink(url)) };
}

onEngines('the page of a link', (freshUrl) => {
  it('shows the key to exactly one of 200 concurrent presses', async () => {
    const { url, reference, target } = await startWithLink(await freshUrl());
    const another = await startFresh({ databaseUrl: url });
    const servers = Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? reference : another));
    const responses = await pressTogether(servers, target);
    const shown = responses.filter((response) => keyOn({ body: response }) !== null);
    expect(shown.map((response) => response.split('\r\n')[0])).toEqual(['HTTP/1.1 200 OK']);
    const others = responses.filter((response) => !shown.includes(response));
    expect(others.length).toBe(199);
    const contents = new Set(others.map((response) => response.replace(/\r\nDate: [^\r]+/i, '')));
    expect(contents.size).toBe(1);
    expect(others[0]).toMatch(/^HTTP\/1\.1 404 /);
  });
});

it('is the same for used, expired, revoked, wrong and unknown links', async () => {
  const { url, reference, target } = await startWithLink();
  await press(reference, target);
  const expired = await issueLink(url, () => Date.now() - DAY_MS);
  const revoked = await issueLink(url);
  await createKeyAdmin(await openDatabase(url)).revoke(revoked.name);
  const open = await issueLink(url);
  const wrong = `${open.target.slice(0, -1)}${open.target.endsWith('A') ? 'B' : 'A'}`;
  const dead = [
    target,
    expired.target,
    revoked.target,
    wrong,
    `/link/${createToken()}`,
    `${open.target}/`,
    `${open.target}0`,
    '/link/',
    '/link/x',
    '/link/%00',
    '/link/%',
    "/link/'%20or%201=1",
    `/link/${'x'.repeat(8_000)}`,
  ];
  for (const method of ['GET', 'HEAD', 'POST']) {
    const contents = await Promise.all(
      dead.map(async (link) => contentOf(await sendRequest(reference, link, {}, method))),
    );
    for (const [n, content] of contents.entries())
      expect(content, `${method} ${dead[n]}`).toEqual(contents[0]);
    expect(contents[0]?.status).toBe(404);
  }
  expect((await sendRequest(reference, open.target, {})).status).toBe(200);
});

it('forbids caching, framing and scripts', async () => {
  const { reference, target } = await startWithLink();
  const responses = [
    await sendRequest(reference, target, {}),
    await sendRequest(reference, target, {}, 'DELETE'),
    await press(reference, target),
    await sendRequest(reference, target, {}),
    await sendRequest(reference, '/link/', {}),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 405, 200, 404, 404]);
  expect(responses[1]?.headers.allow).toBe('GET, HEAD, POST');
  for (const { headers, body } of responses) {
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=UTF-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const style = createHash('sha256')
      .update(/<style>([^<]*)<\/style>/.exec(body)?.[1] ?? '')
      .digest('base64');
    expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      `style-src 'sha256-${style}'`,
    ]);
    expect(body).not.toMatch(/<script|<link|<img|https?:|\son\w+=|\sstyle=/i);
  }
});
