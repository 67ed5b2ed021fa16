import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, type OrderedRow } from '../../examples/dashboard/src/features/sites/order.ts';
import { readPasted } from '../../examples/dashboard/src/features/sites/pasted.ts';
import {
  fitsAddress,
  readSitesAddress,
  sitesPath,
  sortKeys,
} from '../../examples/dashboard/src/navigation/sites-address.ts';

const read = (text: string) => readPasted(text, 'SITE').ids;

it.each([
  ['SITE-1001\nsite-1002\r\n1003', ['SITE-1001', 'SITE-1002', 'SITE-1003']],
  ['1001, 1002;1003\t1004', ['SITE-1001', 'SITE-1002', 'SITE-1003', 'SITE-1004']],
  ['SITE-1001 SITE-1002 https://x.example/site/SITE-3', ['SITE-1001', 'SITE-1002', 'SITE-3']],
  ['1001 1002', ['SITE-1001', 'SITE-1002']],
  ['"SITE-1001"\t97701\tBend', ['SITE-1001']],
  ['Bend;97701;SITE-1001', ['SITE-1001']],
  ['SITE-Harbour House 7', ['SITE-Harbour House 7']],
  ['/site/SITE-Lake%2C%20Shore', ['SITE-Lake, Shore']],
  ['http://x.example/sites?ids=SITE-1001,SITE-1002&sort=level', ['SITE-1001', 'SITE-1002']],
  ['"/sites?ids=SITE-Lake%2C%20Shore,SITE-a%2Fb"', ['SITE-Lake, Shore', 'SITE-a/b']],
  ['Bend,https://x.example/sites?page=2&ids=1,2#top SITE-3', ['SITE-1', 'SITE-2', 'SITE-3']],
  ['https://crm.example/sites?site=SITE-1001', ['SITE-1001']],
])('reads the sites of %j', (text, ids) => {
  expect(readPasted(text, 'SITE')).toEqual({ ids, duplicates: 0, rejected: [], unread: [] });
});

it.each([
  ...['Site', 'Wilson Ave 12', '1001\tBend', '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00', 'SITE-'],
  ...['SITE-\u0007', 'SITE-\ud800', `SITE-${'x'.repeat(200)}`, '/'.repeat(1_000_000)],
])('reads no site in %j, and says so', (text) => {
  expect(readPasted(text, 'SITE')).toEqual({ ids: [], duplicates: 0, rejected: [text], unread: [] });
});

it('takes as many sites as the list has room for, and leaves the others', () => {
  const text = '1, 2, 3\nHouse\n4 5 5\n6';
  expect(readPasted(text, 'SITE', 5, new Set(['SITE-2', 'SITE-9']))).toEqual({
    ids: ['SITE-1', 'SITE-2', 'SITE-3', 'SITE-4'],
    duplicates: 1,
    rejected: ['House'],
    unread: ['SITE-5', '6'],
  });
});

it('reads a megabyte, and leaves what follows', () => {
  const lines = Array.from({ length: 150_000 }, (_, n) => `SITE-${n % 9000}`);
  const { ids, duplicates, unread } = readPasted(lines.join('\n'), 'SITE');
  expect(ids).toHaveLength(9000);
  expect(ids.length + duplicates + unread.length).toBe(lines.length);
  expect(lines.slice(0, ids.length + duplicates).join('\n').length).toBeLessThanOrEqual(2 ** 20);
  expect(unread.length).toBeGreaterThan(0);
});

const site = fc.integer({ min: 0, max: 40 }).map((number) => `SITE-${number}`);
const word = fc.stringMatching(/^[a-z]{1,8}$/);

it('loses no line of any text: each is read, repeated, rejected or unread', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(site, word)), fc.integer({ min: 0, max: 30 }), (lines, maxIds) => {
      const { ids, duplicates, rejected, unread } = readPasted(lines.join('\n'), 'SITE', maxIds);
      expect(ids.length + duplicates + rejected.length + unread.length).toBe(lines.length);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeLessThanOrEqual(maxIds);
    }),
  );
});

it('reads any text without an error', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void read(text)));
});

const anyId = fc.string({ unit: 'grapheme', minLength: 1 });
const sort = fc.record({ by: fc.constantFrom(...sortKeys), isDescending: fc.boolean() });

it('reads from an address what was written into it', () => {
  fc.assert(
    fc.property(fc.array(anyId), fc.integer({ min: 1, max: 200 }), fc.option(sort), (ids, page, order) => {
      const address = { ids, page, ...(order && { sort: order }) };
      const { search } = new URL(sitesPath(address), 'http://localhost:8080');
      expect(readSitesAddress(search)).toEqual(address);
    }),
  );
});

it.each(['', '?', '?ids', '?ids=,,', '?page=0&sort=name', '?page=-1', '?page=1e9', '?sort=--level'])(
  'takes %j for an address without a list',
  (search) => {
    expect(readSitesAddress(search)).toEqual({ ids: [], page: 1 });
  },
);

it('has no address for a list that a server would reject', () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `SITE-${n}`);
  expect([fitsAddress(ids.slice(0, 300)), fitsAddress(ids)]).toEqual([true, false]);
});

const orderedRow = fc.record({
  isPinned: fc.boolean(),
  level: fc.option(fc.constantFrom('Basic', 'CPP Proactive', 'Membership')),
  expiry: fc.option(fc.constantFrom('2030-01-01', '2031-06-01T00:00:00Z', 'soon')),
});

it('puts pinned rows first, and rows without a value last, in either direction', () => {
  fc.assert(
    fc.property(fc.array(orderedRow), sort, (rows: OrderedRow[], order) => {
      const sorted = inOrder(rows, order);
      expect(new Set(sorted)).toEqual(new Set(rows));
      const value = ({ level, expiry }: OrderedRow) =>
        order.by === 'level' ? level : expiry === 'soon' ? null : expiry && Date.parse(expiry);
      const pins = sorted.map(({ isPinned }) => isPinned);
      expect(pins.lastIndexOf(true)).toBeLessThan(pins.includes(false) ? pins.indexOf(false) : rows.length);
      for (const isPinned of [true, false]) {
        const values = sorted.filter((item) => item.isPinned === isPinned).map(value);
        const stated = values.filter((item) => item !== null && item !== undefined);
        const upwards = order.isDescending ? stated.toReversed() : stated;
        expect(upwards).toEqual(stated.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
        expect(values.slice(0, stated.length)).toEqual(stated);
      }
    }),
  );
});
