import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decoded } from '../../src/rest/decoding.ts';
import { contextTarget, SiteTarget } from '../../src/rest/targets.ts';
import { bareSite, conversation } from '../support/upstream.ts';

/** A site and a conversation, decoded from JSON around these bytes. */
function decodedFrom(kind: 'site' | 'conversation', bytes: Uint8Array) {
  const name = kind === 'site' ? 'city' : 'subject';
  const rest = JSON.stringify({ ...bareSite('SITE-1'), city: undefined }).slice(1);
  const body = Buffer.concat([Buffer.from(`{"${name}":"`), bytes, Buffer.from(`",${rest}`)]);
  const drift: string[] = [];
  const target = kind === 'site' ? new SiteTarget('SITE-1', []) : contextTarget(conversation);
  const resource = decoded(target, { body }, (field) => drift.push(field)) as Record<string, unknown>;
  return { text: resource[name], drift };
}

it('skips a byte order mark', () => {
  const body = Buffer.from(`\ufeff${JSON.stringify(bareSite('SITE-1'))}`);
  expect(decoded(new SiteTarget('SITE-1', []), { body })).toMatchObject({ id: 'SITE-1' });
});

it('decodes well-formed UTF-8 alone, whatever the bytes', () => {
  // No quotation mark, backslash or control character, so that the bytes are the text of a JSON string.
  const byte = fc.oneof(fc.integer({ min: 0x80, max: 0xff }), fc.constantFrom(0x20, 0x41, 0x7e));
  const text = fc.string({ unit: 'grapheme' }).map((all) => all.replace(/["\\\p{Cc}]/gu, ''));
  const bytes = fc.oneof(
    fc.array(byte).map((all) => Uint8Array.from(all)),
    fc
      .oneof(text, fc.constantFrom('\ufffd', 'a\ufffdb\u{10ffff}'))
      .map((all) => new TextEncoder().encode(all)),
  );
  fc.assert(
    fc.property(fc.constantFrom('site' as const, 'conversation' as const), bytes, (kind, all) => {
      if (isUtf8(all))
        expect(decodedFrom(kind, all)).toEqual({ text: Buffer.from(all).toString(), drift: [] });
      else
        expect(() => decodedFrom(kind, all)).toThrow(
          'The REST API sent an invalid response: it is not UTF-8.',
        );
    }),
    { numRuns: 200 },
  );
});
