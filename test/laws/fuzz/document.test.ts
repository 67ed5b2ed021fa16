import fc from 'fast-check';
import { it } from 'vitest';
import { documents, ways } from './document.ts';
import { expectToHold, keys, timeout } from './test-setup.ts';

const cases = fc.tuple(keys, documents, ways).map(([key, asked, way]) => {
  const { method, accept, explain, operationName, extensions } = way;
  const params = { ...asked, operationName, extensions };
  const inUrl = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  ]);
  return {
    key,
    path: method === 'GET' ? `/graphql?${new URLSearchParams(inUrl)}` : '/graphql',
    request: {
      method,
      headers: {
        'x-api-key': key,
        accept,
        ...(explain !== undefined && { 'x-explain': explain }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      body: method === 'POST' ? JSON.stringify(params) : null,
    },
  };
});

it('responds to any document quickly and briefly, without leaking a key', { timeout }, async () => {
  await expectToHold(cases, (setup, { key, path, request }) =>
    setup.check(key, key, async () => {
      const response = await fetch(setup.origin() + path, request);
      const fields = new Map(response.headers);
      const head = [...fields].map((field) => field.join(': ')).join('\n');
      return [{ status: response.status, fields, head, body: await response.text(), isWhole: true }];
    }),
  );
});
