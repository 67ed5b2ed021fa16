import fc from 'fast-check';
import { oddHosts } from '../../support/odd.ts';
import { accepts } from './text.ts';

/** A header line, one byte per character. */
export interface Field {
  name: string;
  value: string;
}

const bytes = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength: 20 });
const longs = fc.constantFrom(100, 1000, 8000, 16_000, 70_000).map((length) => 'a'.repeat(length));
const strange = fc.oneof({ weight: 3, arbitrary: bytes }, { weight: 1, arbitrary: longs });

/** Values for the names that the gateway reads: valid, nearly valid and hostile ones. */
const known: Record<string, readonly string[]> = {
  Host: oddHosts,
  'Content-Length': [
    ...[
      '0',
      '1',
      '-1',
      '+5',
      '5, 5',
      '5,6',
      '1e3',
      '0x10',
      '99999999999999999999',
      '131073',
      '131072',
      '5 5',
      '',
      '00',
      ' 7',
    ],
  ],
  'Transfer-Encoding': [
    ...[
      'chunked',
      'Chunked',
      'identity',
      'gzip, chunked',
      'chunked, chunked',
      'chunked, identity',
      'xchunked',
      'chunked;q=1',
    ],
    ...['', 'gzip', '\x0bchunked', '"chunked"', 'chunked,'],
  ],
  'Content-Type': [
    ...[
      'application/json',
      'Application/JSON; Charset=UTF-8',
      'application/json;charset=utf8',
      'application/json;charset=utf-16',
    ],
    ...[
      'application/json;charset="utf-8"',
      'application/json; charset=x',
      'application/json; charset',
      'application/json;;',
    ],
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/graphql',
      'a',
      '',
      '/',
    ],
    ...[
      'application/json, text/plain',
      'application/graphql-response+json',
      '*/*',
      'application/json\x0b',
      'application/jso\xf1',
    ],
  ],
  'Content-Encoding': ['gzip', 'identity', '', 'br', 'deflate, gzip', 'x'],
  Expect: ['100-continue', '100-Continue', '200-ok', '', '100-continue, 100-continue', 'x'.repeat(500)],
  Connection: [
    'close',
    'keep-alive',
    'upgrade',
    'Upgrade, HTTP2-Settings',
    'x-api-key',
    'close, keep-alive',
    'host',
    '',
  ],
  Upgrade: ['websocket', 'h2c', 'TLS/1.0', ''],
  Origin: ['https://a.example', 'null', '*', '', 'https://a.example, https://b.example', 'file://'],
  'X-Forwarded-For': ['1.2.3.4', '::1', 'unknown', '', '127.0.0.1, 1.2.3.4'],
  'X-Forwarded-Host': ['evil.example', '', 'a b', 'evil.example:99999'],
  'X-Forwarded-Proto': ['https', 'gopher', ''],
  'X-Forwarded-Prefix': ['/a', '//evil.example', '../'],
  Forwarded: ['for=1.2.3.4;host=evil.example;proto=https', ';', '"'],
  'X-Original-URL': ['/livez', '/v1/health'],
  'X-Rewrite-URL': ['/livez'],
  'X-HTTP-Method-Override': ['DELETE', 'GET'],
  'x-explain': ['plan', 'report', 'PLAN', 'plan, report', '__proto__', ''],
  'Access-Control-Request-Method': ['POST', 'DELETE', ''],
  'Access-Control-Request-Headers': ['x-api-key', '*'],
  'Accept-Encoding': ['gzip', 'gzip;q=0', 'br, *', 'identity;q=0', ''],
  Authorization: ['Bearer x', 'Basic Og==', ''],
  Cookie: ['a=b', '__proto__=1', ';;;'],
  Range: ['bytes=0-1', 'bytes=-1'],
  'If-None-Match': ['*', '"a"'],
  'If-Modified-Since': ['Sun, 06 Nov 1994 08:49:37 GMT', 'never'],
  TE: ['trailers', 'chunked'],
  Trailer: ['x-api-key', 'content-length'],
  'x-graphql-yoga-csrf': ['1'],
  'Apollo-Require-Preflight': ['true'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', '-'],
  'HTTP2-Settings': ['AAMAAABkAARAAAAAAAIAAAAA'],
  'Sec-WebSocket-Key': ['dGhlIHNhbXBsZSBub25jZQ=='],
  'Sec-Fetch-Site': ['cross-site'],
  ':authority': ['a'],
  __proto__: ['x'],
  constructor: ['x'],
};

/** Fields of every kind, with the key of the case. */
export function fieldsWith(key: string): fc.Arbitrary<Field> {
  const values = Object.entries({ ...known, 'X-Api-Key': keysLike(key), ['__proto__']: ['x'] });
  const ofKnown = fc.oneof(
    ...values.map(([name, likely]) =>
      fc.record({ name: fc.constant(name), value: fc.constantFrom(...likely) }),
    ),
  );
  return fc.oneof(
    { weight: 8, arbitrary: ofKnown },
    { weight: 1, arbitrary: fc.record({ name: fc.constant('Accept'), value: accepts }) },
    {
      weight: 1,
      arbitrary: fc.record({ name: fc.constantFrom(...values.map(([name]) => name)), value: strange }),
    },
    { weight: 1, arbitrary: fc.record({ name: strange, value: strange }) },
  );
}

function keysLike(key: string): string[] {
  return [
    ...[
      key,
      '',
      ' ',
      `${key} `,
      `\t${key}`,
      `${key} ${key}`,
      `${key},${key}`,
      key.repeat(9),
      key.repeat(12),
      `"${key}"`,
    ],
    ...[
      `${key}\xe9`,
      `${key}\x7f`,
      `${key}\x00`,
      `${key}\x0b`,
      `${key}\r`,
      `Bearer ${key}`,
      `${key}\r\n x`,
      `${key}\nx: y`,
    ],
  ];
}
