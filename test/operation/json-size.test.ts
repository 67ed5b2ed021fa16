import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonLarger, jsonBytes } from '../../src/operation/response/json-size.ts';

const value = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.dictionary(
    fc.string({ unit: 'binary' }),
    fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
  ),
);

it('is the size of the JSON text in bytes', () => {
  fc.assert(
    fc.property(value, (json) => {
      const bytes = Buffer.byteLength(JSON.stringify(json));
      expect(jsonBytes(json, Number.MAX_SAFE_INTEGER)).toBe(bytes);
      expect(isJsonLarger(json, bytes)).toBe(false);
      expect(isJsonLarger(json, bytes - 1)).toBe(true);
      expect(jsonBytes(json, bytes - 1)).toBeGreaterThan(bytes - 1);
    }),
  );
});

it('counts a value each time it recurs', () => {
  const large = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.constant(null)), {
    minLength: 64,
  });
  fc.assert(
    fc.property(large, fc.integer({ min: 1, max: 5 }), (value, times) => {
      const json = { a: Array.from({ length: times }, () => value), b: value };
      const bytes = Buffer.byteLength(JSON.stringify(json));
      expect(jsonBytes(json, Number.MAX_SAFE_INTEGER)).toBe(bytes);
      expect(isJsonLarger(json, bytes)).toBe(false);
      expect(isJsonLarger(json, bytes - 1)).toBe(true);
    }),
  );
});

it('measures a value of any depth', () => {
  let nested: unknown = [];
  for (let n = 0; n < 100_000; n += 1) nested = [nested];
  expect(jsonBytes(nested, Number.MAX_SAFE_INTEGER)).toBe(200_002);
});
