import type { RawResponse } from '../../support/raw-responses.ts';
import type { Exchange } from './connection.ts';

/** The responses to one request, as they were on the wire, and its REST calls. */
export interface Transcript {
  answer: string;
  /** Path and key of each call, in order of their names. */
  calls: string[];
}

/** All bytes received, with dates, durations and request ids masked: they differ between two gateways. */
export function transcriptOf({ interim, responses }: Exchange, calls: readonly string[]): Transcript {
  return { answer: [...interim, ...responses.map(written)].join('\n'), calls: [...calls].sort() };
}

function written({ head, body, isWhole }: RawResponse): string {
  const told = body
    .replace(/"(startedMs|durationMs|latencyMs|ageMs|ageSeconds)":[\d.e+-]+/g, '"$1":0')
    // A cool-down of an hour starts with the first response, and the next may come a second later.
    .replace(/"retryAfter":35\d\d/g, '"retryAfter":3600');
  // The lengths of the body and of its parts depend on these numbers.
  const isTimed = told !== body;
  const heading = head
    .replace(/^(date): .*$/im, '$1: *')
    .replace(/^(retry-after): 35\d\d$/im, '$1: 3600')
    .replace(/^(x-request-id): [\da-f]{12}-\d+$/im, '$1: *')
    // Which calls are the slowest, and how long they took.
    .replace(/^(server-timing): .*$/im, '$1: *')
    .replace(/^(content-length): (\d+)$/im, (line, name) => (isTimed ? `${name}: *` : line));
  const text = isTimed ? told.replace(/^(Content-Length): \d+\r$/gm, '$1: *\r') : told;
  return `${heading}\r\n\r\n${text}${isWhole ? '' : '\n[breaks off]'}`;
}

/** The difference between two transcripts; undefined if there is none. */
export function differenceOf(one: Transcript, other: Transcript): string | undefined {
  if (one.answer === other.answer && one.calls.join() === other.calls.join()) return undefined;
  const place = firstDifference(one.answer, other.answer);
  return [
    ...(place === undefined ? [] : [around(one.answer, place), around(other.answer, place)]),
    ...(one.calls.join() === other.calls.join() ? [] : [callsOf(one), callsOf(other)]),
  ].join('\n  differs from\n');
}

function firstDifference(one: string, other: string): number | undefined {
  if (one === other) return undefined;
  let place = 0;
  while (one[place] === other[place]) place += 1;
  return place;
}

const SHOWN = 300;

function around(text: string, place: number): string {
  const start = Math.max(0, place - SHOWN);
  const status = text.slice(0, text.indexOf('\r'));
  return `${status} [${start}] ${text.slice(start, place)}⟪here⟫${text.slice(place, place + SHOWN)}`;
}

function callsOf({ calls }: Transcript): string {
  return `calls ${JSON.stringify(calls).slice(0, 2 * SHOWN)}`;
}
