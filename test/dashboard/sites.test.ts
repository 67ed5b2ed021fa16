import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fitsAddress,
  inOrder,
  readSitesAddress,
  type Sort,
  sitesPath,
} from '../../examples/dashboard/src/features/sites/sites-address.ts';
import { itemFrom, itemsIn } from '../../examples/dashboard/src/navigation/id.ts';
import { pathOf, routeFrom } from '../../examples/dashboard/src/navigation/route.ts';
import { conversation } from '../support/upstream.ts';

const capitals = conversation.toUpperCase();

it.each([
  ...['SITE-1001', 'site-1001', '1001', '  SITE-1001\n', '/site/SITE-1001', '/v1/site/1001'],
  ...['http://localhost:8080/site/SITE%2D1001#clients', '/v1/site/site-1001?include=clients,projects'],
  ...['HTTPS://API.EXAMPLE.COM/V1/SITE/SITE-1001/', 'https://site-builder.example.com/site/SITE-1001'],
  ...['https://crm.example.com/site-map/7?site=SITE-1001', `/site/SITE-1001?from=${conversation}`],
])('reads %j as a site', (text) => {
  expect(itemFrom(text, 'SITE')).toEqual({ page: 'site', id: 'SITE-1001' });
});

it.each([
  ...[` ${capitals} `, `http://localhost:8080/conversation/${capitals}#m-12`],
  ...[`/v1/conversation/${conversation}/context`, `https://crm.example.com/#/threads/${capitals}`],
])('reads %j as a conversation', (text) => {
  expect(itemFrom(text, 'SITE')).toEqual({ page: 'conversation', id: conversation });
});

it.each([
  ...['', ' ', 'SITE', 'SITE-', 'HOME-1001', 'Wilson Ave', '1001 Wilson Ave', '-1001', '10.5'],
  ...[`${conversation}0`, conversation.replaceAll('-', ''), '/site/%E0%A4%A', '/'.repeat(1_000_000)],
  ...['https://site-1001.example.com/', 'https://crm.example.com:1001/pages/1001', 'our site-map'],
  ...['x'.repeat(1_000_000), '.'.repeat(1_000_000), `SITE-${'9'.repeat(1_000_000)}`.repeat(2).slice(1)],
])('reads no id in %.40j', (text) => {
  expect(itemFrom(text, 'SITE')).toBeUndefined();
});

it('keeps the text after the prefix as it is, and knows the prefix of the gateway alone', () => {
  expect(itemFrom('home-Lake Shore/B?', 'HOME')).toEqual({ page: 'site', id: 'HOME-Lake Shore/B?' });
  expect(itemFrom('/site/HOME-Lake%20Shore%2FB%3F', 'HOME')?.id).toBe('HOME-Lake Shore/B?');
  expect(itemFrom('1001', 'HOME')?.id).toBe('HOME-1001');
});

it.each([
  ['Please look at SITE-1001.', ['1001']],
  ['SITE-1001 and SITE-1002', ['1001', '1002']],
  ['Is site-1001 (not SITE-1002!) the one? SITE-1001: yes.', ['1001', '1002']],
  ['SITE-1001\nsite-1002\r\nSITE-1001', ['1001', '1002']],
  ['1001, 1002;1003\t1004\n', ['1001', '1002', '1003', '1004']],
  ['"SITE-1001"\t97701\tBend', ['1001']],
  ['Bend;97701;SITE-1001', ['1001']],
  ['<https://x.example/sites?ids=SITE-1001,SITE-1002&sort=expiry>', ['1001', '1002']],
  ['see /site/SITE-Lake%2C%20Shore', ['Lake, Shore']],
])('finds the sites of %j', (text, ids) => {
  expect(itemsIn(text, 'SITE').map(({ id }) => id)).toEqual(ids.map((id) => `SITE-${id}`));
});

const word = fc.stringMatching(/^[a-z,;. ]{0,8}$/);

it('finds every id in any text around it, and reads any text', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, fc.nat(5000))), (parts) => {
      const text = parts.map(([before, number]) => `${before} SITE-${number}. `).join('');
      const ids = [...new Set(parts.map(([, number]) => `SITE-${number}`))];
      expect(itemsIn(text, 'SITE').map(({ id }) => id)).toEqual(ids);
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void itemsIn(text, 'SITE')));
});

it('reads an address as the form reads an id, and any id back from its address', () => {
  expect(routeFrom('/site/site-1001')).toEqual({ page: 'site', id: 'SITE-1001' });
  expect(routeFrom('/site/1001')).toEqual({ page: 'site', id: 'SITE-1001' });
  expect(routeFrom(`/conversation/${capitals}`)).toEqual({ page: 'conversation', id: conversation });
  expect(routeFrom('/site/a/b')).toEqual({ page: 'unknown' });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const item = { page: 'site', id: `SITE-${text}` } as const;
      expect(routeFrom(pathOf(item))).toEqual(item);
    }),
  );
});

const anyId = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `SITE-${text}`);
const sort = fc.constantFrom<Sort>('expiry', '-expiry');

it('reads from the address of the table what was written into it', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyId),
      fc.integer({ min: 1, max: 200 }),
      fc.option(sort),
      (ids, page, order) => {
        const address = { ids, page, ...(order && { sort: order }) };
        const { search } = new URL(sitesPath(address), 'http://localhost:8080');
        expect(readSitesAddress(search)).toEqual(address);
      },
    ),
  );
});

it.each(['', '?', '?ids', '?ids=,,', '?page=0&sort=name', '?page=-1', '?page=1e9', '?sort=--expiry'])(
  'takes %j for an address without a list',
  (search) => {
    expect(readSitesAddress(search)).toEqual({ ids: [], page: 1 });
  },
);

it('has no address for a list that a server would reject', () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `SITE-${n}`);
  expect([fitsAddress(ids.slice(0, 300)), fitsAddress(ids)]).toEqual([true, false]);
});

it('puts pinned rows first, and rows without an end last, in either direction', () => {
  const row = fc.record({ isPinned: fc.boolean(), expiry: fc.option(fc.integer(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(row), sort, (rows, order) => {
      const sorted = inOrder(rows, order);
      expect(new Set(sorted)).toEqual(new Set(rows));
      const pins = sorted.map(({ isPinned }) => isPinned);
      expect(pins).toEqual(pins.toSorted((a, b) => Number(b) - Number(a)));
      for (const isPinned of [true, false]) {
        const ends = sorted.filter((item) => item.isPinned === isPinned).map(({ expiry }) => expiry);
        const stated = ends.filter((end) => end !== undefined);
        expect(ends.slice(0, stated.length)).toEqual(stated);
        const upwards = order === '-expiry' ? stated.toReversed() : stated;
        expect(upwards).toEqual(stated.toSorted((a, b) => a - b));
      }
    }),
  );
});
