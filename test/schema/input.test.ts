import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createInput, InputError } from '../../src/schema/input.ts';

const { siteId, isSiteId, conversationId } = createInput({ siteIdPrefix: 'SITE', maxIds: 50 });

describe('siteId', () => {
  it.each([
    'SITE-',
    'SITE-a b',
    'SITE-..',
    'SITE-a/.../b',
    'SITE-a/..b/c..',
    'SITE-%2e%2e',
    'SITE-constructor',
    'SITE-Zürich 😀',
    `SITE-${'x'.repeat(195)}`,
  ])('returns %j unchanged', (text) => {
    expect(siteId(text)).toBe(text);
    expect(isSiteId(text)).toBe(true);
  });

  it.each([
    ['another prefix', 'OTHER-1'],
    ['a prefix in another case', 'site-1'],
    ['the prefix alone', 'SITE'],
    ['201 characters', `SITE-${'x'.repeat(196)}`],
    ['a NUL', 'SITE-\0'],
    ['a line break', 'SITE-1\r\nx-api-key: other'],
    ['DEL', 'SITE-\x7f'],
    ['a C1 control character', 'SITE-\x85'],
    ['a lone high surrogate', 'SITE-\ud83d'],
    ['a segment ".."', 'SITE-x/../conversation'],
    ['a segment "."', 'SITE-x/./y'],
    ['a segment ".." between backslashes', 'SITE-x\\..\\y'],
    ['an encoded segment ".."', 'SITE-x/%2e%2E/y'],
    ['a half encoded segment ".."', 'SITE-x/.%2e'],
  ])('rejects %s', (_, text) => {
    expect(() => siteId(text)).toThrow(InputError);
    expect(isSiteId(text)).toBe(false);
  });

  it('quotes no part of an invalid id', () => {
    expect(() => siteId('canary')).toThrow(/^A site id must start with "SITE-"\.$/);
    expect(() => siteId('SITE-canary\n')).toThrow(/^A site id must not hold control characters\.$/);
  });

  it('never leaves /v1/site/, encoded or decoded once by a proxy', () => {
    const dots = fc.constantFrom(...'. .. / \\ %2e %2F %5c ? # @ : // v1'.split(' '), '\t', '\n', ' ');
    const text = fc
      .array(
        fc.oneof(
          { arbitrary: dots, weight: 4 },
          { arbitrary: fc.string({ unit: 'binary', maxLength: 3 }), weight: 1 },
        ),
      )
      .map((pieces) => `SITE-${pieces.join('')}`);
    const accepted = { ordinary: 0, slashed: 0 };
    fc.assert(
      fc.property(text, (id) => {
        if (!isSiteId(id)) return;
        accepted[id.includes('/') ? 'slashed' : 'ordinary'] += 1;
        for (const path of [encodeURIComponent(id), id]) {
          const url = new URL(`/v1/site/${path}`, 'http://upstream.test');
          expect(url.host).toBe('upstream.test');
          expect(url.pathname.startsWith('/v1/site/')).toBe(true);
        }
        expect(new URL(`/v1/site/${encodeURIComponent(id)}`, 'http://upstream.test').search).toBe('');
      }),
      { numRuns: 300 },
    );
    expect(accepted.ordinary).toBeGreaterThan(0);
    expect(accepted.slashed).toBeGreaterThan(0);
  });
});

it.each([
  '',
  '5f0c2a9e3b1d4c5a9e7f8a6b4c2d1e00',
  '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e000',
  '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e0g',
  '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00\n',
  '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00/../x',
])('rejects the id %j of a conversation', (text) => expect(() => conversationId(text)).toThrow(InputError));
