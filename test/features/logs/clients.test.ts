import { expect, it } from 'vitest';
import { apiKey, postQuery, startBoth } from '../../support/gateway.ts';

const one = '{ site(id: "SITE-1") { id } }';

it('logs the name and the version of the client', async () => {
  const { gateway } = await startBoth();
  const name = (value: string) => ({ 'x-client-name': value });
  const [longest, credential] = ['n'.repeat(64), 'credential-of-the-client'];
  const sent: [Record<string, string>, unknown?, unknown?][] = [
    [{}],
    [
      { 'apollographql-client-name': 'web', 'apollographql-client-version': '1.2', ...name('x') },
      'web',
      '1.2',
    ],
    [{ ...name('b "c"'), 'x-client-version': 'v'.repeat(33) }, 'b "c"', `${'v'.repeat(32)}…`],
    [{ 'apollographql-client-name': 'caf\xe9' }],
    [name(longest), longest],
    [name(`${longest}n`), `${longest}…`],
    [name(`a ${apiKey.slice(3, 13)}`), '[redacted]'],
    [{ ...name(credential), authorization: `Bearer ${credential}` }, '[redacted]'],
    [{ 'x-client-version': credential, cookie: `session=${credential}` }, undefined, '[redacted]'],
    [name('(none)'), '(none)'],
  ];
  for (const [headers] of sent) await postQuery(gateway.url, one, { headers });
  expect(
    (await gateway.logged('operation', sent.length)).map((line) => [line.clientName, line.clientVersion]),
  ).toEqual(sent.map(([, clientName, clientVersion]) => [clientName, clientVersion]));
});
