/**
 * The resources of the REST API (its document, section 2): the reader of each, and the type that it decodes to. An absent
 * value is `null`; only the two relations have more states.
 */
import { type ServiceLevel, serviceLevelFromLabel } from './decoding/service-level.ts';
import {
  boolean,
  list,
  number,
  object,
  propertiesOf,
  type Reader,
  requiredString,
  string,
} from './decoding/shape.ts';
import type { UpstreamError } from './errors.ts';

export type { ServiceLevel };

/** What `include` can expand (REST document, 4.2), in the order of the path. */
export const relations = ['clients', 'projects'] as const;
export type Relation = (typeof relations)[number];

type Decoded<R extends Reader<unknown>> = NonNullable<ReturnType<R>>;

const accountManager = object('AccountManager', { id: string, firstName: string, lastName: string });
export type AccountManager = Decoded<typeof accountManager>;

const serviceLevel: Reader<ServiceLevel> = (value, field, drift) => {
  const label = string(value, field, drift);
  if (label === null) return null;
  const level = serviceLevelFromLabel(label);
  if (level === 'UNRECOGNIZED') drift(field);
  return level;
};

/** A site without its relations. */
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
  /** The requested id. */
  id: string;
  serviceLevelLabel: string | null;
  clients?: Expanded<Client>;
  projects?: Expanded<Project>;
}

/**
 * A relation of a site. Absent: not requested. Null: requested, and missing in the response. An error: requested, and the
 * REST API returned only the site without it.
 */
type Expanded<T> = T[] | UpstreamError | null;

const email = object('Email', { id: string, value: string, label: string, isPrimary: boolean });
export type Email = Decoded<typeof email>;

const phoneNumber = object('PhoneNumber', {
  id: string,
  value: string,
  ext: number,
  label: string,
  isPrimary: boolean,
});
export type PhoneNumber = Decoded<typeof phoneNumber>;

const client = object('Client', {
  id: string,
  name: string,
  firstName: string,
  lastName: string,
  partnerName: string,
  marketingOptOut: boolean,
  emails: list(email),
  phoneNumbers: list(phoneNumber),
  isPrimary: boolean,
});
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

/** All that can be read of a site. */
export const siteProperties = [
  ...(bareSite.properties ?? []),
  ...propertiesOf('Site', { serviceLevelLabel: string, ...relationReaders }),
];

const attachment = object('Attachment', {
  type: string,
  title: string,
  content: string,
  transcriptionId: string,
});
export type Attachment = Decoded<typeof attachment>;

const message = object('Message', {
  author: string,
  role: string,
  createdAt: string,
  text: string,
  isInternal: boolean,
  rawBody: string,
  attachments: list(attachment),
});
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

/** A conversation as the REST API sends it: without its id. */
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
  /** The requested id. */
  id: string;
}

/** All that can be read of a conversation. */
export const contextProperties = conversationBody.properties ?? [];

/** The result of one health call (REST document, 4.1: the response shape is not specified, so the body stays JSON). */
export interface Health {
  reachable: boolean;
  statusCode: number | null;
  latencyMs: number;
  body: unknown;
}
