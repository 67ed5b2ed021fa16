import { expect, it } from 'vitest';
import { streamTypeOf } from '../../src/operation/response/accept.ts';

it.each([
  ['text/event-stream', 'text/event-stream'],
  ['application/json, Text/Event-Stream;q=0.5', 'text/event-stream'],
  ['multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json', 'multipart/mixed'],
  ['multipart/mixed; subscriptionSpec="1.0"', 'multipart/mixed'],
  ['multipart/mixed;subscriptionSpec=1.0, text/event-stream', 'multipart/mixed'],
  ['text/event-stream;q=0, multipart/mixed;subscriptionSpec=1.0', 'multipart/mixed'],
  ['multipart/mixed;subscriptionSpec=2.0', undefined],
  ['multipart/mixed;deferSpec=20220824, application/json', undefined],
  ['multipart/mixed', undefined],
  ['text/event-stream;q=0.0', undefined],
  ['*/*', undefined],
  ['', undefined],
  [undefined, undefined],
])('reads Accept: %s', (accept, type) => {
  expect(streamTypeOf(accept)).toBe(type);
});
