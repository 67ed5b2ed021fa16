import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  messageAnchor,
  messageNumberFrom,
} from '../../examples/dashboard/src/features/conversation/message-anchor.ts';

it('reads the number of every message back from its anchor, and none from any other text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999 }), (number) => {
      expect(messageNumberFrom(messageAnchor(number))).toBe(number);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^m-\d{0,12}$/)), (text) => {
      const number = messageNumberFrom(text);
      if (number !== undefined) expect(messageAnchor(number)).toBe(text);
    }),
  );
  for (const text of ['', 'm-', 'm-0', 'm-01', 'm-1.5', 'm--1', 'main', 'm-1e3', 'm-1 ']) {
    expect(messageNumberFrom(text)).toBeUndefined();
  }
});
