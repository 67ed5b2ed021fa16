import { expect, it } from 'vitest';
import { itemFrom } from '../../examples/dashboard/src/navigation/id.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const capitals = conversation.toUpperCase();

it.each([
  ...['SITE-1001', 'site-1001', 'Site-1001', '1001', '  SITE-1001\n'],
  ...[
    '/site/SITE-1001',
    'http://localhost:8080/site/SITE-1001',
    'http://localhost:8080/site/SITE%2D1001#clients',
  ],
  ...[
    '/v1/site/SITE-1001',
    'v1/site/site-1001',
    '/v1/site/1001',
    '/v1/site/SITE-1001?include=clients,projects',
  ],
  ...['GET https://api.example.com/v1/site/SITE-1001/', 'HTTPS://API.EXAMPLE.COM/V1/SITE/SITE-1001'],
  ...['https://site-builder.example.com/site/SITE-1001', 'https://crm.example.com/homes/SITE-1001'],
  ...['https://crm.example.com/site-map/7?site=SITE-1001', `/site/SITE-1001?from=${conversation}`],
])('reads %j as a site', (text) => {
  expect(itemFrom(text, 'SITE')).toEqual({ page: 'site', id: 'SITE-1001' });
});

it.each([
  ...[conversation, capitals, ` ${capitals} `],
  ...[`/conversation/${conversation}`, `http://localhost:8080/conversation/${capitals}#m-12`],
  ...[
    `/v1/conversation/${capitals}/context`,
    `https://api.example.com/v1/conversation/${conversation}/context`,
  ],
  ...[
    `https://crm.example.com/#/threads/${capitals}`,
    `https://crm.example.com/site-map?thread=${conversation}`,
  ],
])('reads %j as a conversation', (text) => {
  expect(itemFrom(text, 'SITE')).toEqual({ page: 'conversation', id: conversation });
});

it.each([
  ...['', ' ', 'SITE', 'SITE-', 'HOME-1001', 'Wilson Ave', '1001 Wilson Ave', '-1001', '10.5'],
  ...[`${conversation}0`, conversation.slice(1), conversation.replaceAll('-', '')],
  ...[
    'https://crm.example.com/',
    'https://site-1001.example.com/',
    'https://crm.example.com:1001/pages/1001',
  ],
  ...['/site/', '/site/%E0%A4%A', 'https://crm.example.com/site-map', '/'.repeat(100_000)],
])('reads no id in %j', (text) => {
  expect(itemFrom(text, 'SITE')).toBeUndefined();
});

it('leaves the text after the prefix as it is, and knows the prefix of the gateway alone', () => {
  expect(itemFrom('home-Lake Shore/B?', 'HOME')).toEqual({ page: 'site', id: 'HOME-Lake Shore/B?' });
  expect(itemFrom('/site/HOME-Lake%20Shore%2FB%3F', 'HOME')).toEqual({
    page: 'site',
    id: 'HOME-Lake Shore/B?',
  });
  expect(itemFrom('1001', 'HOME')).toEqual({ page: 'site', id: 'HOME-1001' });
  expect(itemFrom('SITE-1001', 'HOME')).toBeUndefined();
});
