import { expect, it } from 'vitest';
import { responsesFrom } from '../../support/raw-responses.ts';
import { differenceOf, differInOrderAlone, type Transcript, transcriptOf } from './transcript.ts';

function answered(head: string, body: string, calls: string[] = []): Transcript {
  const bytes = `HTTP/1.1 200 OK\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return transcriptOf({ interim: [], responses: responsesFrom({ bytes, isEnded: false }) }, calls);
}

const one = answered('a: b\r\nc: d', '{"data":1}', ['/v1/health k']);

it.each([
  ['the order of fields', answered('c: d\r\na: b', '{"data":1}', ['/v1/health k'])],
  ['the case of a name', answered('A: b\r\nc: d', '{"data":1}', ['/v1/health k'])],
  ['a value', answered('a: b\r\nc: e', '{"data":1}', ['/v1/health k'])],
  ['a field', answered('a: b', '{"data":1}', ['/v1/health k'])],
  ['a byte', answered('a: b\r\nc: d', '{"data": 1}', ['/v1/health k'])],
  ['a call more', answered('a: b\r\nc: d', '{"data":1}', ['/v1/health k', '/v1/health k'])],
  ['a call less', answered('a: b\r\nc: d', '{"data":1}')],
  ['the key of a call', answered('a: b\r\nc: d', '{"data":1}', ['/v1/health l'])],
])('finds %s that differs', (_, other) => {
  expect(differenceOf(one, other)).toContain('differs from');
  expect(differInOrderAlone(one, other)).toBe(false);
});

it('ignores dates, durations and the lengths that depend on them', () => {
  const timed = (date: string, ms: string) =>
    answered(`date: ${date}`, `{"durationMs":${ms},"latencyMs":${ms},"ageMs":${ms},"ageSeconds":${ms}}`);
  expect(differenceOf(timed('Mon', '1.5'), timed('Tue', '12'))).toBeUndefined();
});

it('distinguishes reordered errors from other errors', () => {
  const errors = (...list: string[]) => answered('a: b', JSON.stringify({ errors: list, data: null }));
  expect(differInOrderAlone(errors('x', 'y'), errors('y', 'x'))).toBe(true);
  expect(differInOrderAlone(errors('x', 'y'), errors('x', 'z'))).toBe(false);
  expect(differenceOf(errors('x', 'y'), errors('y', 'x'))).toBeDefined();
});
