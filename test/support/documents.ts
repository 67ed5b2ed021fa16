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

const client = (id: string, more: Json = {}): Json => ({
  id,
  name: `Client ${id}`,
  firstName: 'Ida',
  lastName: `Östlund ${id}`,
  partnerName: 'Bo',
  marketingOptOut: true,
  emails: [
    { id: `${id}-e1`, value: `${id}@example.com`, label: 'home', isPrimary: true },
    { id: `${id}-e2`, value: `${id}@work.example`, label: 'work', isPrimary: false },
  ],
  phoneNumbers: [{ id: `${id}-n1`, value: '+46 8 123', ext: 4.5, label: 'mobile', isPrimary: true }],
  isPrimary: false,
  ...more,
});

const project = (id: string, more: Json = {}): Json => ({
  id,
  name: `Project ${id}`,
  isPrimary: false,
  stage: 'Planning',
  estimatedDay1: '2026-03-02',
  day1StartDate: '2026-03-09',
  warrantyExpiration: '2036-03-09',
  signingDate: '2026-01-15',
  ...more,
});

const site = (id: string, more: Json = {}): Json => ({
  id,
  address1: `${id} Street`,
  address2: null,
  city: 'Åre',
  state: 'Z',
  zip: '83013',
  tosAccepted: 'yes',
  serviceLevel: 'Signature',
  clientSegment: 'Gold',
  cppExpDate: '2027-01-01T00:00:00Z',
  businessName: `Business of ${id}`,
  brandId: 'b1',
  primaryClientId: `${id}-c2`,
  primaryProjectId: `${id}-p1`,
  createdAt: '2020-02-29T12:00:00Z',
  updatedAt: '2026-03-02T14:05:00.123Z',
  sla: 2.5,
  isMonitored: true,
  accountManager: { id: 'm1', firstName: 'Mo', lastName: 'Ek' },
  membershipRegistered: false,
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
  id,
  address: `${id} Street, Åre`,
  serviceLevel: 'Signature',
  associatedConversations: [
    {
      friendlyId: 'C-17',
      subject: 'Heating',
      status: 'closed',
      statusLastUpdatedAt: 'yesterday',
      issue: 'Cold',
      resolution: 'Warm',
      shortSummary: 'It was cold.',
    },
  ],
  ...more,
});

const message = (author: string, isInternal: boolean | null): Json => ({
  author,
  role: 'client',
  createdAt: 'noon',
  text: `Hello from ${author}`,
  isInternal,
  rawBody: '<p>Hello</p>',
  attachments: isInternal
    ? []
    : [{ type: 'image', title: 'Boiler', content: 'https://files.example/1', transcriptionId: 't1' }],
});

const conversation = (more: Json): Json => ({
  subject: 'No heating',
  messages: [message('Ida', false), message('Mo', true), message('Bo', null), message('Eva', false)],
  status: 'open',
  type: 'support',
  urgency: 'high',
  labels: ['heating', 'winter'],
  requester: 'Ida',
  participants: {
    agents: ['Mo'],
    clients: [{ name: 'Ida', primaryPhoneNumber: '+46 8 123', primaryEmail: null }],
  },
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
