import { oddHosts } from '../../support/odd.ts';
import { corpusKey, type Fields } from './requests.ts';

const json = 'application/json';
const response = 'application/graphql-response+json';

/** Values of fields, and whole heads; null takes a field away. */
export const contentTypes: (string | readonly string[] | null)[] = [
  ...[
    json,
    'Application/JSON',
    'Application/JSON; Charset=UTF-8',
    `${json};charset=utf-8`,
    `${json}; charset=utf8`,
    `${json};charset="utf-8"`,
    `${json};charset='utf-8'`,
    `${json};charset=utf-16`,
  ],
  ...[
    `${json}; charset=x`,
    `${json}; charset`,
    `${json};;`,
    `${json};`,
    `${json} ;a=b`,
    `${json};charset=utf-8;charset=x`,
    `${json};charset=x;charset=utf-8`,
    ` ${json} `,
    `${json};charset=`,
  ],
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    response,
    '*/*',
    'application/*',
    'a',
    '',
    '/',
    'json',
    null,
  ],
  ...[
    `${json}, text/plain`,
    `${json},${json}`,
    [json, json],
    [json, 'text/plain'],
    ['text/plain', json],
    `${json}\xe9`,
    'application/jso\xf1',
    'application/json+x',
    'text/json',
  ],
];

export const keys: (string | readonly string[] | null)[] = [
  ...[
    null,
    '',
    ' ',
    `${corpusKey} `,
    ` ${corpusKey}`,
    `\t${corpusKey}\t`,
    `${corpusKey} ${corpusKey}`,
    `${corpusKey},${corpusKey}`,
    `"${corpusKey}"`,
    `Bearer ${corpusKey}`,
    'x',
    '-',
    `${corpusKey}\xe9`,
    'caf\xe9',
    '東',
  ],
  ...[
    [corpusKey, corpusKey],
    ['', corpusKey],
    [corpusKey, ''],
    ['a', 'b', 'c'],
    'k'.repeat(255),
    'k'.repeat(256),
    'k'.repeat(257),
    'k'.repeat(5000),
    '__proto__',
    '!#$%&*+-.^_`|~',
    '{}',
    '\\',
  ],
].filter((key) => typeof key !== 'string' || Buffer.from(key, 'latin1').toString('latin1') === key);

export const explains = [
  'report',
  'plan',
  'REPORT',
  'Report',
  'PLAN',
  'other',
  '',
  ' report ',
  'report, plan',
  'plan,report',
  '__proto__',
  'reportplan',
  'report;q=1',
];

/** What pages of other origins send. */
export const origins: Fields[] = [
  ...[
    'https://app.test',
    'https://other.test',
    'http://app.test',
    'null',
    '*',
    '',
    'https://app.test, https://other.test',
    'HTTPS://APP.TEST',
    'https://app.test/',
  ].map((Origin) => ({ Origin })),
  { Origin: ['https://app.test', 'https://other.test'] },
  { Origin: 'https://app.test', 'X-Api-Key': null },
  { Origin: 'https://app.test', Accept: response },
  { Origin: 'https://app.test', Accept: 'multipart/mixed' },
];

/** What proxies send. */
export const forwarded: Fields[] = [
  ...['https', 'http', 'HTTPS', 'https, http', 'gopher', ''].map((proto) => ({ 'X-Forwarded-Proto': proto })),
  {
    'X-Forwarded-For': '1.2.3.4',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'evil.test',
    Forwarded: 'for=1.2.3.4;host=evil.test;proto=https',
  },
  { 'X-Forwarded-Proto': ['https', 'https'] },
  {
    'X-Forwarded-Host': 'a b',
    'X-Original-URL': '/livez',
    'X-Rewrite-URL': '/livez',
    'X-HTTP-Method-Override': 'DELETE',
  },
];

export const others: Fields[] = [
  { 'X-API-KEY': corpusKey, 'X-Api-Key': null },
  { 'X-Api-Key': null, 'x-api-key': corpusKey },
  { 'X-Api-Key': null, Authorization: `Bearer ${corpusKey}` },
  {
    accept: json,
    'content-type': json,
    host: 'gateway.test',
    'x-api-key': corpusKey,
    Accept: null,
    'Content-Type': null,
    Host: null,
    'X-Api-Key': null,
  },
  ...['close', 'keep-alive', 'Close', 'close, keep-alive', 'keep-alive, close', '', 'x-api-key', 'TE'].map(
    (Connection) => ({ Connection }),
  ),
  { Connection: 'keep-alive', 'Keep-Alive': 'timeout=1, max=2' },
  { Connection: 'Upgrade', Upgrade: 'websocket' },
  { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA' },
  ...oddHosts.map((Host) => ({ Host })),
  { Host: null },
  { Host: ['gateway.test', 'gateway.test'] },
  ...['gzip', 'gzip, deflate, br', '*', 'identity;q=0', ''].map((coding) => ({ 'Accept-Encoding': coding })),
  {
    'If-None-Match': '*',
    'If-Modified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT',
    Range: 'bytes=0-1',
    'Cache-Control': 'no-cache',
  },
  {
    Cookie: '__proto__=1; a=b',
    'Accept-Language': 'de',
    'Accept-Charset': 'utf-16',
    'User-Agent': 'test',
    TE: 'trailers',
    Referer: 'https://app.test',
  },
  {
    'X-Request-Id': 'abc',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'Apollo-Require-Preflight': 'true',
    'Sec-Fetch-Site': 'cross-site',
  },
  { 'X-Long': 'a'.repeat(15_500) },
  { 'X-Long': 'a'.repeat(17_000) },
  Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`X-${n}`, 'a'])),
  { 'X-Api-Key': null, constructor: 'x', ['__proto__']: 'x' },
];
