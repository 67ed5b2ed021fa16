import { GraphQLBoolean, GraphQLFloat, type GraphQLObjectType, isEnumType, isListType } from 'graphql';
import { expect, it } from 'vitest';
import type { Drift } from '../../src/rest/json.ts';
import { type Relation, relationReaders } from '../../src/rest/resources.ts';
import { contextTarget, SiteTarget } from '../../src/rest/targets.ts';
import { schema } from '../../src/schema/index.ts';
import { startClient } from '../support/client.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

async function siteFrom(site: object, include: readonly Relation[] = ['clients', 'projects']) {
  const upstream = await startUpstream((_, res) => sendJson(res, site));
  const { getSite, caller, drift } = startClient(upstream.url);
  const result = await getSite(caller, 'SITE-1', include);
  expect(upstream.paths()).toEqual([`/v1/site/SITE-1${include.length > 0 ? `?include=${include}` : ''}`]);
  return { site: result, drift };
}

const complete = { ...bareSite('SITE-1'), clients: [], projects: [] };

it.each<[string, string, unknown, unknown]>([
  ['Site.address1', 'address1', undefined, null],
  ['Site.city', 'city', {}, null],
  ['Site.isMonitored', 'isMonitored', null, null],
  ['Site.serviceLevel', 'serviceLevel', 'Platinum', 'UNRECOGNIZED'],
  ['AccountManager.firstName', 'accountManager', { id: 'a', firstName: 1 }, { id: 'a', firstName: null }],
  ['Site.clients', 'clients', undefined, null],
  ['Site.clients', 'clients', { id: 'c' }, null],
  ['Site.projects', 'projects', null, null],
])('counts the drift of %s, sent as %s: %j', async (field, name, value, expected) => {
  const { site, drift } = await siteFrom({ ...complete, [name]: value });
  expect(site).toHaveProperty(name, expected);
  expect(drift).toEqual([field]);
});

it('drops invalid elements of a list, counts each, and keeps the others in order', async () => {
  const emails = [1, { id: 'e1', value: 5 }, 'x', { id: 'e2' }];
  const clients = [null, { id: 'c1', emails, phoneNumbers: [{ ext: '12' }] }, 'c2', { id: 'c3' }, []];
  const { site, drift } = await siteFrom({ ...complete, clients });
  expect(site?.clients).toMatchObject([
    { id: 'c1', emails: [{ id: 'e1', value: null }, { id: 'e2' }], phoneNumbers: [{ ext: null }] },
    { id: 'c3' },
  ]);
  const twice = ['Client.emails', 'Client.emails', 'Email.value', 'PhoneNumber.ext'];
  expect(drift.sort()).toEqual([...twice, 'Site.clients', 'Site.clients', 'Site.clients']);
});

const fieldsOf = (type: string) => Object.values((schema.getType(type) as GraphQLObjectType).getFields());
const usual = (one: unknown) =>
  isListType(one) ? [] : one === GraphQLFloat ? 1 : one === GraphQLBoolean || 'x';
const usualOf = (type: string) =>
  Object.fromEntries(fieldsOf(type).map((field) => [field.name, usual(field.type)]));

const readClient = (client: object, drift: Drift) => relationReaders.clients([client], 'clients', drift);
const readMessage = (one: object, drift: Drift) => contextTarget('').fromJson({ messages: [one] }, drift);

it.each<[string, (element: object, drift: Drift) => void]>([
  ['Client', readClient],
  ['Email', (email, drift) => readClient({ ...usualOf('Client'), emails: [email] }, drift)],
  ['PhoneNumber', (number, drift) => readClient({ ...usualOf('Client'), phoneNumbers: [number] }, drift)],
  ['Message', readMessage],
  ['Attachment', (one, drift) => readMessage({ ...usualOf('Message'), attachments: [one] }, drift)],
])('counts the drift of each property of %s alone, in an object that is usual but for it', (type, read) => {
  for (const { name } of fieldsOf(type)) {
    const element = { ...usualOf(type), [name]: {} };
    const drift: string[] = [];
    read(element, (field) => drift.push(field));
    expect([element[name], drift]).toEqual([null, [`${type}.${name}`]]);
  }
});

it('does not read a relation that was not requested', async () => {
  const { site, drift } = await siteFrom({ ...complete, clients: 'unread' }, []);
  expect(site).not.toHaveProperty('clients');
  expect(drift).toEqual([]);
});

function serviceLevelFrom(label: string) {
  const json = { id: 'SITE-1', serviceLevel: label };
  return new SiteTarget('SITE-1', []).fromJson(json, () => {}).serviceLevel;
}

const levels: Record<string, string> = {
  INACTIVE: 'Inactive',
  NON_MEMBER: 'Non-Member',
  WARRANTY_ESSENTIALS: 'Warranty Essentials',
  CPP_ESSENTIALS_PLUS: 'CPP Essentials Plus',
  ESSENTIALS_PLUS: 'Essentials Plus',
  CPP_PRIORITY: 'CPP Priority',
  PRIORITY: 'Priority',
  CPP_PROACTIVE: 'CPP Proactive',
  PROACTIVE: 'Proactive',
  CPP_SIGNATURE: 'CPP Signature',
  SIGNATURE: 'Signature',
  SECURE: 'Secure',
  INTERNAL: 'Company - Internal',
  LEGACY: 'Legacy',
};

it('reads each of the 14 service levels, that of any provider, and one value for all others', () => {
  for (const [level, label] of Object.entries(levels)) expect(serviceLevelFrom(label)).toBe(level);
  for (const label of ['A - Internal', 'Acme & Söhne - West - Internal'])
    expect(serviceLevelFrom(label)).toBe('INTERNAL');
  for (const label of ['', ' - Internal', 'Acme - Internal ', 'signature', 'Platinum', '__proto__'])
    expect(serviceLevelFrom(label)).toBe('UNRECOGNIZED');
  const type = schema.getType('ServiceLevel');
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  expect(values.sort()).toEqual([...Object.keys(levels), 'UNRECOGNIZED'].sort());
});
