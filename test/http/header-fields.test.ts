import { expect, it } from 'vitest';
import { send, sendRaw } from '../support/wire.ts';
import { kinds, startKinds } from './kinds.ts';

const careful = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

it.each(kinds)(
  'sends the security fields with %s (%i), and lets no other origin read it',
  async (...kind) => {
    const [name, status, wire] = kind;
    const headers = { ...wire.headers, origin: 'https://elsewhere.test' };
    const response = await send((await startKinds()).origin, { ...wire, headers });
    const ofPage = expect.stringMatching(/^default-src 'none'; script-src 'self';/);
    const expected = name === 'GraphiQL' ? { ...careful, 'content-security-policy': ofPage } : careful;
    expect(response).toMatchObject({ status, headers: expected });
    expect(response.headers).not.toHaveProperty('strict-transport-security');
    expect(Object.keys(response.headers).filter((field) => field.startsWith('access-control-'))).toEqual([]);
  },
);

it('sends the security fields to malformed HTTP', async () => {
  const text = (await sendRaw((await startKinds()).origin, 'what?\r\n\r\n')).toLowerCase();
  for (const [name, value] of Object.entries(careful)) expect(text).toContain(`\r\n${name}: ${value}\r\n`);
});
