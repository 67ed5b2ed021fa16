import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lastOutcome, startOutcome } from '../../graphiql/outcome/outcome.ts';
import { headerFieldsOf, requestIdIn } from '../../graphiql/response/header-fields.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';

const apiKey = 'key-of-the-fields';

it('keeps the header fields of a response, without secrets and the key of its request', async () => {
  const secrets = {
    'x-echo': `key=${apiKey};`,
    location: `/login?key=${apiKey.replace('-', '%2D')}`,
    'x-api-key': 'another',
    'x-session-token': 'b1946ac9',
    authorization: 'Basic dGVzdA==',
  };
  const { url, requests } = await startUpstream((_, res) =>
    sendJson(res, {}, 203, { 'x-request-id': 'a1-7', 'x-tokenizer': 'seven', ...secrets }),
  );
  const response = await startOutcome()(url, { headers: { 'X-API-Key': apiKey } });
  await response.text();
  expect(requests).toMatchObject([{ apiKey }]);
  const { status, fields = [] } = lastOutcome.get() ?? {};
  expect(status).toBe(203);
  expect(requestIdIn(fields)).toBe('a1-7');
  const shown = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  expect(shown).toMatchObject({ 'content-type': 'application/json', 'x-tokenizer': 'seven' });
  for (const name of Object.keys(secrets)) expect(shown).toHaveProperty(name, undefined);
});

it('has no header fields where no response came', async () => {
  const { url } = await startUpstream((_, res) => res.destroy());
  await expect(startOutcome()(url)).rejects.toThrow();
  expect(lastOutcome.get()).toMatchObject({ status: undefined, fields: [] });
});

it('shows no value with the key in it, however it is escaped', () => {
  const keys = fc.stringMatching(/^[\x21-\x7e]{1,40}$/).filter((key) => /[a-z\d]/i.test(key));
  const texts = fc.stringMatching(/^[a-z ;=/?&]{0,20}$/);
  const escapes = fc.constantFrom<(key: string) => string>(
    (key) => key,
    encodeURIComponent,
    (key) => JSON.stringify(key),
    (key) => [...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(''),
  );
  fc.assert(
    fc.property(keys, texts, texts, escapes, (key, before, after, write) => {
      const headers = new Headers({ 'x-a': `${before}${write(key)}${after}`, 'x-b': '' });
      expect(headerFieldsOf(headers, key)).toEqual([
        { name: 'x-a', value: undefined },
        { name: 'x-b', value: '' },
      ]);
    }),
  );
});
