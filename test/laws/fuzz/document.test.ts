import fc from 'fast-check';
import { it } from 'vitest';
import { documents, ways } from './document.ts';
import type { ReadResponse } from './rules.ts';
import { expectToHold, type Fuzz, timeout } from './runner.ts';
import { keys } from './text.ts';

const LONGEST_WAIT_MS = 60_000;

interface Case {
  key: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

const cases: fc.Arbitrary<Case> = fc
  .tuple(keys, documents, ways)
  .map(([key, { query, variables }, { method, accept, explain, operationName, extensions }]) => {
    const params = { query, variables, operationName, extensions };
    const inUrl = Object.entries(params).map(([name, value]) => [name, textOf(value)]);
    return {
      key,
      method,
      path: method === 'GET' ? `/graphql?${new URLSearchParams(inUrl)}` : '/graphql',
      headers: {
        'x-api-key': key,
        accept,
        ...(explain !== undefined && { 'x-explain': explain }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      body: method === 'POST' ? JSON.stringify(params) : null,
    };
  });

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const fuzz: Fuzz<Case> = {
  cases,
  check: (setup, { key, method, path, headers, body }) =>
    setup.check(key, key, async (): Promise<ReadResponse[]> => {
      const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
      const response = await fetch(setup.origin() + path, { method, headers, body, signal });
      const text = await response.text();
      const fields = new Map(response.headers);
      const head = [...fields].map((field) => field.join(': ')).join('\n');
      return [{ status: response.status, fields, text: `${head}\n\n${text}`, body: text, isWhole: true }];
    }),
};

it('responds to any document quickly and briefly, without leaking a key', { timeout }, async () => {
  await expectToHold(fuzz);
});
