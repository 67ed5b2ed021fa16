import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { contract } from './contract.ts';
import { addedFields, sentFields } from './samples.ts';
import { bareSite } from './upstream.ts';

/**
 * The documents of the REST API with all relations: the oracle reads them, and the upstream of these
 * tests derives its responses from them. They contain every special case that the contract allows.
 */
export type Json = Record<string, unknown>;

/** The service levels of the sites, and their names in the schema. */
export const levels = new Map([
  ['Inactive', 'INACTIVE'],
  ['CPP Essentials Plus', 'CPP_ESSENTIALS_PLUS'],
  ['Signature', 'SIGNATURE'],
  ['Acme - Internal', 'INTERNAL'],
  ['Platinum', 'UNRECOGNIZED'],
]);

const scalars: Json = { Boolean: true, Float: 4.5, Date: '2026-03-02', DateTime: '2026-03-02T14:05:00.123Z' };

/** An object with a value for each field of its type: texts that name it, and two elements in each list. */
function complete(typeName: string, id: string): Json {
  const valueFor = (type: GraphQLOutputType, name: string): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return [1, 2].map((n) => valueFor(nullable.ofType, `${name} ${n}`));
    if (isObjectType(nullable)) return complete(nullable.name, `${id}-${name}`);
    return scalars[getNamedType(nullable).name] ?? `${name} of ${id}`;
  };
  const type = contract.getType(typeName) as GraphQLObjectType;
  return Object.fromEntries(
    sentFields(type, addedFields).map(({ name, type }) => [name, valueFor(type, name)]),
  );
}

const memberOf =
  (type: string) =>
  (id: string, more: Json = {}): Json => ({ ...complete(type, id), id, isPrimary: false, ...more });
const [client, project] = [memberOf('Client'), memberOf('Project')];

const site = (id: string, more: Json = {}): Json => ({
  ...complete('Site', id),
  id,
  address2: null,
  city: 'Åre',
  serviceLevel: 'Signature',
  primaryClientId: `${id}-c2`,
  primaryProjectId: `${id}-p1`,
  clients: [client(`${id}-c1`, { isPrimary: true }), client(`${id}-c2`)],
  projects: [project(`${id}-p1`), project(`${id}-p2`, { isPrimary: true })],
  ...more,
});

const siteDocuments: Json[] = [
  site('SITE-1'),
  site('SITE-2', { primaryClientId: 'nobody', serviceLevel: 'CPP Essentials Plus' }),
  { ...bareSite('SITE-3'), clients: [], projects: [] },
  site('SITE-4', { primaryClientId: null, clients: [client('SITE-4-c1')], serviceLevel: 'Platinum' }),
  site('SITE-5', { cppExpDate: 'soon', serviceLevel: 'Acme - Internal' }),
  site('SITE-6', { clients: null, projects: null, accountManager: null }),
  { ...bareSite('SITE-7'), primaryProjectId: 'gone' },
  site('SITE-8 north wing', { projects: [project('SITE-8-p1', { signingDate: 'May 5', stage: null })] }),
  site('SITE-9/annex', { clients: [client('SITE-9-c1', { emails: null, phoneNumbers: [] })] }),
  site('SITE-10 Örnsköldsvik 東京', { serviceLevel: 'Inactive' }),
  site('SITE-11', { serviceLevel: null, projects: [] }),
  site('SITE-12', { primaryProjectId: 'SITE-12-p2' }),
];

export const sites = new Map(siteDocuments.map((document) => [String(document.id), document]));
const missingSite = 'SITE-404';
/** The REST API responds with another site, which is a failure of this site only. */
export const mistakenSite = 'SITE-500';

const mention = (id: string | null, more: Json = {}): Json => ({
  ...complete('ConversationSite', `${id}`),
  id,
  ...more,
});

const message = (author: string, isInternal: boolean | null): Json => ({
  ...complete('Message', author),
  author,
  isInternal,
});

const conversation = (more: Json): Json => ({
  ...complete('ConversationContext', 'C'),
  messages: [message('Ida', false), message('Mo', true), message('Bo', null), message('Eva', false)],
  ...more,
});

const uuid = (digit: number) => `5f0c2a9e-3b1d-4c5a-9e7f-00000000ab0${digit}`;

export const conversations = new Map([
  [uuid(1), conversation({ sites: [mention('SITE-1'), mention('SITE-2'), mention('SITE-8 north wing')] })],
  [
    uuid(2),
    conversation({ sites: [mention('SITE-2'), mention('SITE-2', { address: null }), mention('SITE-3')] }),
  ],
  [
    uuid(3),
    conversation({ sites: [mention('SITE-9/annex'), mention(null), mention('HOUSE-1'), mention('SITE-1')] }),
  ],
  [uuid(4), conversation({ sites: [mention(missingSite), mention(mistakenSite), mention('SITE-5')] })],
  [
    uuid(5),
    conversation({ sites: [], messages: [], labels: [], participants: { agents: [], clients: null } }),
  ],
  [
    uuid(6),
    {
      messages: null,
      labels: null,
      participants: null,
      sites: [mention('SITE-1', { associatedConversations: [] })],
    },
  ],
  [uuid(7), {}],
]);

/** The ids in operations: existing, missing and invalid ones. */
export const siteIds = [...sites.keys(), missingSite, mistakenSite, 'HOUSE-1', 7];
export const conversationIds = [...conversations.keys(), uuid(1).toUpperCase(), uuid(9), 'no-uuid'];

export const healthDocument: Json = { status: 'ok', checks: ['database', null, 3] };
