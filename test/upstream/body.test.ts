import { isUtf8 } from 'node:buffer';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decoded } from '../../src/upstream/decoding.ts';
import { contextTarget, SiteTarget } from '../../src/upstream/resources.ts';
import { startClient } from '../support/client.ts';
import { isWithinCpuTime, startCpuTime } from '../support/slowness.ts';
import { bareSite, type Script, startUpstream } from '../support/upstream.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';

/** What a site and a conversation decode to, of the bytes around which there is JSON. */
function decodedFrom(kind: 'site' | 'conversation', bytes: Uint8Array) {
  const name = kind === 'site' ? 'city' : 'subject';
  const rest = JSON.stringify({ ...bareSite('SITE-1'), city: undefined }).slice(1);
  const body = Buffer.concat([Buffer.from(`{"${name}":"`), bytes, Buffer.from(`",${rest}`)]);
  const drift: string[] = [];
  const target = kind === 'site' ? new SiteTarget('SITE-1', []) : contextTarget(conversation);
  const resource = decoded(target, { body }, (field) => drift.push(field)) as Record<string, unknown>;
  return { text: resource[name], drift };
}

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
    { numRuns: 500 },
  );
});

const words = 'Örnsköldsvik \u30ab';
const json = JSON.stringify({ ...bareSite('SITE-1'), city: words, clients: [] });
const latin = JSON.stringify({ ...bareSite('SITE-1'), city: 'Örnsköldsvik' });
/** In ISO-2022-JP, where no byte is above 127. */
const escaped = json.replace(words, 'x\x1b$B%+\x1b(Bx');

async function siteFrom(body: Buffer, contentType = 'application/json', settings = {}) {
  const script: Script = (_, res) => res.writeHead(200, { 'content-type': contentType }).end(body);
  const upstream = await startUpstream(script);
  const client = startClient(upstream.url, settings);
  return { ...client, upstream, get: () => client.getSite(client.caller, 'SITE-1', []) };
}

it.each<[string, Buffer, string, string, string[]]>([
  ['UTF-8', Buffer.from(json), 'application/json; charset=utf-8', words, []],
  [
    'UTF-8, though another charset is named',
    Buffer.from(json),
    'application/json; charset=iso-8859-1',
    words,
    [],
  ],
  [
    'UTF-8 with U+FFFD, though another charset is named',
    Buffer.from(json.replace('sk', '\ufffd')),
    'text/plain; charset=latin1',
    'Örn\ufffdöldsvik \u30ab',
    [],
  ],
  ['UTF-8 after a byte order mark', Buffer.from(`\ufeff${json}`), 'application/json', words, ['BOM']],
  [
    'Latin 1',
    Buffer.from(latin, 'latin1'),
    'application/json; charset=ISO-8859-1',
    'Örnsköldsvik',
    ['Content-Type'],
  ],
  [
    'Latin 1, quoted',
    Buffer.from(latin, 'latin1'),
    'application/json;x=1;CHARSET="latin1"',
    'Örnsköldsvik',
    ['Content-Type'],
  ],
  ['UTF-16', Buffer.from(json, 'utf16le'), 'application/json;charset=utf-16le', words, ['Content-Type']],
  [
    'UTF-16 after a byte order mark',
    Buffer.from(`\ufeff${json}`, 'utf16le'),
    'application/json;charset=utf-16',
    words,
    ['Content-Type'],
  ],
  ['ISO-2022-JP', Buffer.from(escaped), 'application/json;charset=iso-2022-jp', 'x\u30abx', ['Content-Type']],
])('decodes %s, and counts what RFC 8259 does not allow', async (_, body, type, city, counted) => {
  const { get, upstream, drift } = await siteFrom(body, type);
  expect(await get()).toMatchObject({ id: 'SITE-1', city });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
  expect(drift).toEqual(counted);
});

it.each<[string, Buffer, string, string]>([
  ['Latin 1 that is called UTF-8', Buffer.from(latin, 'latin1'), 'application/json; charset=utf-8', 'UTF-8'],
  ['a charset that nobody knows', Buffer.from(latin, 'latin1'), 'application/json; charset=x-odd', 'UTF-8'],
  [
    'bytes that the charset does not have',
    Buffer.from(latin, 'latin1'),
    'application/json; charset=euc-jp',
    'UTF-8',
  ],
  ['no charset', Buffer.from(latin, 'latin1'), 'application/json', 'UTF-8'],
  ['UTF-16 that is not named', Buffer.from(json, 'utf16le'), 'application/json', 'UTF-8'],
  ['UTF-16 of ASCII that is not named', Buffer.from('{}', 'utf16le'), 'application/json', 'JSON'],
  ['two byte order marks', Buffer.from(`\ufeff\ufeff${json}`), 'application/json', 'JSON'],
])('rejects %s', async (_, body, type, missing) => {
  const { get, upstream } = await siteFrom(body, type);
  await expect(get()).rejects.toThrow(`The REST API sent an invalid response: it is not ${missing}.`);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});

it('stores the body in UTF-8, and counts it once, however many callers share it', async () => {
  const settings = { CACHE_TTL_MS: '60000' };
  const type = 'application/json;charset=latin1';
  const body = Buffer.from(latin.replace('{', '{"clients":[],'), 'latin1');
  const { getSite, caller, get, upstream, drift } = await siteFrom(body, type, settings);
  const withClients = () => getSite(caller, 'SITE-1', ['clients']);
  const sites = [
    ...(await Promise.all([withClients(), get(), withClients()])),
    await get(),
    await withClients(),
  ];
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1?include=clients']);
  expect(sites.map((site) => site?.city)).toEqual(Array(5).fill('Örnsköldsvik'));
  expect(drift).toEqual(['Content-Type']);
});

it('keeps a body of a million chunks as the bytes that it has', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let before = 0;
  let during = 0;
  const script: Script = async (_, { socket }) => {
    collect();
    before = process.memoryUsage().heapUsed;
    const chunks = '1\r\n \r\n'.repeat(10_000);
    socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    for (let n = 0; n < 100; n += 1) await new Promise((resolve) => socket?.write(chunks, resolve));
    collect();
    during = process.memoryUsage().heapUsed;
    const rest = JSON.stringify(bareSite('SITE-1'));
    socket?.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
  };
  const { getSite, caller } = startClient((await startUpstream(script)).url);
  expect(await getSite(caller, 'SITE-1', [])).toMatchObject({ id: 'SITE-1' });
  expect(during - before).toBeLessThan(16_000_000);
});

it('reads a long run of digits in a text in time proportional to its length', () => {
  const body = Buffer.from(JSON.stringify({ ...bareSite('SITE-1'), city: '1'.repeat(200_000) }));
  const cpuMs = startCpuTime();
  decoded(new SiteTarget('SITE-1', []), { body }, () => {});
  const spentMs = cpuMs();
  expect(isWithinCpuTime(spentMs, 200)).toBe(true);
});

/** A decimal number as a fraction of whole ones. */
function fractionOf(text: string): [bigint, bigint] {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(sign + whole + fraction);
  return power < 0 ? [digits, 10n ** BigInt(-power)] : [digits * 10n ** BigInt(power), 1n];
}

const digits = (maxLength: number) => fc.stringMatching(/^\d+$/, { maxLength });
/** A JSON number of any length, as it may be written. */
const literals = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      digits(25).map((text) => text.replace(/^0+/, '') || '0'),
    ),
    fraction: fc.option(digits(25), { nil: '' }),
    exponent: fc.oneof(
      fc.constant(''),
      fc.integer({ min: -40, max: 40 }).map((n) => `e${n}`),
      fc.nat(40).map((n) => `E+${n}`),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction && `.${fraction}`}${exponent}`);

it('keeps of each number the nearest double, and counts those whose digits change', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\t ');
  fc.assert(
    fc.property(literals, literals, blank, fc.nat(40), (sla, ext, space, length) => {
      const rest = JSON.stringify({
        ...bareSite('SITE-1'),
        city: `9.${'9'.repeat(length)},`,
        zip: `\\",1${'2'.repeat(length)}`,
      });
      const clients = `[{"phoneNumbers":[{"ext":${space}${ext}${space}}]}]`;
      const body = Buffer.from(`{"sla":${space}${sla}${space},"clients":${clients},${rest.slice(1)}`);
      const counted: string[] = [];
      const target = new SiteTarget('SITE-1', ['clients']);
      const site = decoded(target, { body }, (field) => counted.push(field));
      expect(site).toMatchObject({
        sla: Number(sla),
        city: JSON.parse(rest).city,
        zip: JSON.parse(rest).zip,
      });
      expect(site).toMatchObject({ clients: [{ phoneNumbers: [{ ext: Number(ext) }] }] });
      const inexact = ([name, text]: [string, string]) => {
        const [a, b] = fractionOf(text);
        const [c, d] = fractionOf(String(Number(text)));
        return a * d === c * b ? [] : [name];
      };
      const numbers: [string, string][] = [
        ['Site.sla', sla],
        ['PhoneNumber.ext', ext],
      ];
      expect(counted).toEqual(expect.arrayContaining(numbers.flatMap(inexact)));
      expect(counted.filter((name) => /sla|ext/.test(name)).sort()).toEqual(numbers.flatMap(inexact).sort());
    }),
    { numRuns: 1000 },
  );
});

it('counts a number that is too large once, beside one that is too long', () => {
  const counted: string[] = [];
  const body = Buffer.from(
    `{"sla":1e999,"clients":[{"phoneNumbers":[{"ext":12345678901234567890}]}],${json.slice(1)}`,
  );
  const site = decoded(new SiteTarget('SITE-1', []), { body }, (field) => counted.push(field));
  expect(site).toMatchObject({ sla: null });
  expect(counted).toEqual(['Site.sla']);
});

it.each([
  ['digits', `${'9'.repeat(1_000_000)}`],
  ['zeros', `1${'0'.repeat(1_000_000)}1`],
  ['exponents', `"${'e-'.repeat(500_000)}"`],
  ['escapes', `"${'\\"'.repeat(500_000)}"`],
])('reads a million %s in linear time', (_, value) => {
  const body = Buffer.from(`{"sla":12345678901234567890,"x":${value},${json.slice(1)}`);
  const started = performance.now();
  decoded(new SiteTarget('SITE-1', []), { body }, () => {});
  // A quadratic search takes minutes.
  expect(performance.now() - started).toBeLessThan(5_000);
});
