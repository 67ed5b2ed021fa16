/* The resources of the REST API (its document, section 2): readers and types. A value may be absent. */
import type { UpstreamError } from './errors.ts';
import type { Reader } from './json.ts';
import { areStrings, areUsual, boolean, list, number, object, requiredString, string } from './json.ts';

/** The relations that `include` can expand (REST document, 4.2), in the order of the path. */
export const relations = ['clients', 'projects'] as const;
export type Relation = (typeof relations)[number];

type Decoded<R extends Reader<unknown>> = NonNullable<ReturnType<R>>;

const accountManager = object('AccountManager', { id: string, firstName: string, lastName: string });
export type AccountManager = Decoded<typeof accountManager>;

/** The exact texts of the REST document, 2.1.1; the one with the provider's own name is a pattern below. */
export const serviceLevels = {
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
  LEGACY: 'Legacy',
};

/** As GraphQL enum values. `UNRECOGNIZED` stands for every string that section 2.1.1 does not list. */
type ServiceLevel = keyof typeof serviceLevels | 'INTERNAL' | 'UNRECOGNIZED';
const levels = new Map(Object.entries(serviceLevels).map(([level, label]) => [label, level as ServiceLevel]));

const serviceLevel: Reader<ServiceLevel> = (value, field, drift) => {
  const label = string(value, field, drift);
  if (label === null) return null;
  const listed = levels.get(label);
  if (listed) return listed;
  if (/^\S.* - Internal$/.test(label)) return 'INTERNAL';
  drift(field);
  return 'UNRECOGNIZED';
};

export const bareSite = object('Site', {
  id: string,
  address1: requiredString,
  address2: requiredString,
  city: requiredString,
  state: requiredString,
  zip: requiredString,
  tosAccepted: string,
  serviceLevel,
  clientSegment: string,
  cppExpDate: string,
  businessName: string,
  brandId: string,
  primaryClientId: string,
  primaryProjectId: string,
  createdAt: string,
  updatedAt: string,
  sla: number,
  isMonitored: boolean,
  accountManager,
  membershipRegistered: boolean,
});

export interface Site extends Decoded<typeof bareSite> {
  id: string;
  serviceLevelLabel: string | null;
  clients?: Expanded<Client>;
  projects?: Expanded<Project>;
}

/** A relation that was requested. Null: it is missing in the response. An error: the site came without it. */
type Expanded<T> = T[] | UpstreamError | null;

const email = object(
  'Email',
  { id: string, value: string, label: string, isPrimary: boolean },
  ({ id, value, label, isPrimary }) => areStrings(id, value, label) && typeof isPrimary === 'boolean',
);
export type Email = Decoded<typeof email>;

const phoneNumber = object(
  'PhoneNumber',
  { id: string, value: string, ext: number, label: string, isPrimary: boolean },
  ({ id, value, ext = 0, label, isPrimary }) =>
    areStrings(id, value, label) && Number.isFinite(ext) && typeof isPrimary === 'boolean',
);
export type PhoneNumber = Decoded<typeof phoneNumber>;

const client = object(
  'Client',
  {
    id: string,
    name: string,
    firstName: string,
    lastName: string,
    partnerName: string,
    marketingOptOut: boolean,
    emails: list(email),
    phoneNumbers: list(phoneNumber),
    isPrimary: boolean,
  },
  ({ id, name, firstName, lastName, partnerName, marketingOptOut, emails, phoneNumbers, isPrimary }) =>
    areStrings(id, name, firstName, lastName, partnerName) &&
    typeof marketingOptOut === 'boolean' &&
    typeof isPrimary === 'boolean' &&
    areUsual(emails, email) &&
    areUsual(phoneNumbers, phoneNumber),
);
export type Client = Decoded<typeof client>;

const project = object('Project', {
  id: string,
  name: string,
  isPrimary: boolean,
  stage: string,
  estimatedDay1: string,
  day1StartDate: string,
  warrantyExpiration: string,
  signingDate: string,
});
export type Project = Decoded<typeof project>;

export const relationReaders = { clients: list(client), projects: list(project) };

const attachment = object('Attachment', {
  type: string,
  title: string,
  content: string,
  transcriptionId: string,
});
export type Attachment = Decoded<typeof attachment>;

const message = object(
  'Message',
  {
    author: string,
    role: string,
    createdAt: string,
    text: string,
    isInternal: boolean,
    rawBody: string,
    attachments: list(attachment),
  },
  ({ author, role, createdAt, text, isInternal, rawBody, attachments }) =>
    areStrings(author, role, createdAt, text, rawBody) &&
    typeof isInternal === 'boolean' &&
    areUsual(attachments, attachment),
);
export type Message = Decoded<typeof message>;

const participantClient = object('ParticipantClient', {
  name: string,
  primaryPhoneNumber: string,
  primaryEmail: string,
});
export type ParticipantClient = Decoded<typeof participantClient>;

const participants = object('Participants', { agents: list(string), clients: list(participantClient) });
export type Participants = Decoded<typeof participants>;

const associatedConversation = object('AssociatedConversation', {
  friendlyId: string,
  subject: string,
  status: string,
  statusLastUpdatedAt: string,
  issue: string,
  resolution: string,
  shortSummary: string,
});
export type AssociatedConversation = Decoded<typeof associatedConversation>;

const conversationSite = object('ConversationSite', {
  address: string,
  serviceLevel: string,
  id: string,
  associatedConversations: list(associatedConversation),
});
export type ConversationSite = Decoded<typeof conversationSite>;

export const conversationBody = object('ConversationContext', {
  subject: string,
  messages: list(message),
  status: string,
  type: string,
  urgency: string,
  labels: list(string),
  requester: string,
  participants,
  sites: list(conversationSite),
});

export interface ConversationContext extends Decoded<typeof conversationBody> {
  id: string;
}
