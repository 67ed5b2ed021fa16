import type { UpstreamError } from './errors.ts';

/**
 * The resources of the REST API (its document, section 2), decoded. An absent value is `null`; only the two relations
 * have more states.
 */

/** What `include` can expand (REST document, 4.2), in the order of the path. */
export const relations = ['clients', 'projects'] as const;
export type Relation = (typeof relations)[number];

/** Section 2.1.1, as GraphQL enum values. `UNRECOGNIZED` stands for every string that the section does not list. */
export type ServiceLevel =
  | 'INACTIVE'
  | 'NON_MEMBER'
  | 'WARRANTY_ESSENTIALS'
  | 'CPP_ESSENTIALS_PLUS'
  | 'ESSENTIALS_PLUS'
  | 'CPP_PRIORITY'
  | 'PRIORITY'
  | 'CPP_PROACTIVE'
  | 'PROACTIVE'
  | 'CPP_SIGNATURE'
  | 'SIGNATURE'
  | 'SECURE'
  | 'INTERNAL'
  | 'LEGACY'
  | 'UNRECOGNIZED';

export interface Site {
  id: string;
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  tosAccepted: string | null;
  serviceLevel: ServiceLevel | null;
  serviceLevelLabel: string | null;
  clientSegment: string | null;
  cppExpDate: string | null;
  businessName: string | null;
  brandId: string | null;
  primaryClientId: string | null;
  primaryProjectId: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  sla: number | null;
  isMonitored: boolean | null;
  accountManager: AccountManager | null;
  membershipRegistered: boolean | null;
  clients?: Expanded<Client>;
  projects?: Expanded<Project>;
}

/**
 * A relation of a site. Absent: not requested. Null: requested, and missing in the response. An error: requested, and the
 * REST API returned only the site without it.
 */
type Expanded<T> = T[] | UpstreamError | null;

export interface AccountManager {
  id: string | null;
  firstName: string | null;
  lastName: string | null;
}

export interface Client {
  id: string | null;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  partnerName: string | null;
  marketingOptOut: boolean | null;
  emails: Email[] | null;
  phoneNumbers: PhoneNumber[] | null;
  isPrimary: boolean | null;
}

export interface Email {
  id: string | null;
  value: string | null;
  label: string | null;
  isPrimary: boolean | null;
}

export interface PhoneNumber {
  id: string | null;
  value: string | null;
  ext: number | null;
  label: string | null;
  isPrimary: boolean | null;
}

export interface Project {
  id: string | null;
  name: string | null;
  isPrimary: boolean | null;
  stage: string | null;
  estimatedDay1: string | null;
  day1StartDate: string | null;
  warrantyExpiration: string | null;
  signingDate: string | null;
}

export interface ConversationContext {
  /** The requested id: the response has none. */
  id: string;
  subject: string | null;
  messages: Message[] | null;
  status: string | null;
  type: string | null;
  urgency: string | null;
  labels: string[] | null;
  requester: string | null;
  participants: Participants | null;
  sites: ConversationSite[] | null;
}

export interface Message {
  author: string | null;
  role: string | null;
  createdAt: string | null;
  text: string | null;
  isInternal: boolean | null;
  rawBody: string | null;
  attachments: Attachment[] | null;
}

export interface Attachment {
  type: string | null;
  title: string | null;
  content: string | null;
  transcriptionId: string | null;
}

export interface Participants {
  agents: string[] | null;
  clients: ParticipantClient[] | null;
}

export interface ParticipantClient {
  name: string | null;
  primaryPhoneNumber: string | null;
  primaryEmail: string | null;
}

export interface ConversationSite {
  address: string | null;
  serviceLevel: string | null;
  id: string | null;
  associatedConversations: AssociatedConversation[] | null;
}

export interface AssociatedConversation {
  friendlyId: string | null;
  subject: string | null;
  status: string | null;
  statusLastUpdatedAt: string | null;
  issue: string | null;
  resolution: string | null;
  shortSummary: string | null;
}

/** The result of one health call (REST document, 4.1: the response shape is not specified, so the body stays JSON). */
export interface Health {
  reachable: boolean;
  statusCode: number | null;
  latencyMs: number;
  body: unknown;
}
