import { expect, it } from 'vitest';
import { startScrape } from '../features/metrics/scrape.ts';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';

const one = '{ site(id: "SITE-1") { id } }';

it('logs the name and the version of the client, and labels the first hundred names that got data', async () => {
  const { gateway } = await startBoth({ ADMIN_PORT: '0' });
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
    [{ 'apollographql-client-name': 'caf\xe9', ...name(longest) }, longest],
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
  await postQuery(gateway.url, '{ nothing }', { headers: name('without data') });
  for (let n = 0; n < 98; n += 1) await postQuery(gateway.url, one, { headers: name(`client ${n}`) });
  await gateway.logged('operation', sent.length + 99);
  const counts = await (await startScrape(gateway.metrics)).read('portico_client_operations_total');
  expect(Object.keys(counts)).toHaveLength(102);
  expect(counts).toMatchObject({
    ...{ 'client=web': 1, [`client=${longest}`]: 1, 'client=(none)': 2, 'client=client 96': 1 },
    // Cut, twice redacted, in brackets, without data, and the name after the first hundred.
    'client=(other)': 6,
  });
});
