import * as z from 'zod';

/**
 * The objects of the REST document, section 2. They are closed: an unknown field is a fault. The types, the
 * validation of imports and the OpenAPI schemas derive from them. Dates are text, as in JSON.
 */

const partnerRule = 'must be 1 to 64 letters, digits, dots, hyphens and underscores';

/** The owner of keys and data (section 5.5). Never part of a response. */
export const partnerId = z.string(partnerRule).regex(/^[\w.-]{1,64}$/, partnerRule);

const text = z.string().exactOptional();
const flag = z.boolean().exactOptional();
const amount = z.number().exactOptional();
const uuid = z.guid().exactOptional();
const time = z.iso.datetime({ offset: true }).exactOptional();
const day = z.iso.date().exactOptional();
const address = z.string().nullable();

const named = [
  'Inactive',
  'Non-Member',
  'Warranty Essentials',
  'CPP Essentials Plus',
  'Essentials Plus',
  'CPP Priority',
  'Priority',
  'CPP Proactive',
  'Proactive',
  'CPP Signature',
  'Signature',
  'Secure',
  'Legacy',
] as const;

/** Section 2.1.1; the last form begins with the provider's name. */
export const serviceLevel = z.union([z.enum(named), z.string().regex(/^.+ - Internal$/)]);

export const accountManager = z.strictObject({ id: uuid, firstName: text, lastName: text });

export const email = z.strictObject({
  id: uuid,
  value: z.email({ pattern: z.regexes.html5Email }).exactOptional(),
  label: text,
  isPrimary: flag,
});

export const phoneNumber = z.strictObject({
  id: uuid,
  value: text,
  ext: amount,
  label: text,
  isPrimary: flag,
});

export const client = z.strictObject({
  id: text,
  name: text,
  firstName: text,
  lastName: text,
  partnerName: text,
  marketingOptOut: flag,
  emails: z.array(email).exactOptional(),
  phoneNumbers: z.array(phoneNumber).exactOptional(),
  isPrimary: flag,
});

export const project = z.strictObject({
  id: uuid,
  name: text,
  isPrimary: flag,
  stage: text,
  estimatedDay1: day,
  day1StartDate: day,
  warrantyExpiration: day,
  signingDate: day,
});

/** Section 2.1 without its relations. The prefix of the id is a setting. */
export const site = z.strictObject({
  id: z.string(),
  address1: address,
  address2: address,
  city: address,
  state: address,
  zip: address,
  tosAccepted: text.describe('The day, YYYY-MM-DD'),
  serviceLevel: serviceLevel.exactOptional(),
  clientSegment: text,
  cppExpDate: time,
  businessName: text,
  brandId: text,
  primaryClientId: text,
  primaryProjectId: text,
  createdAt: time,
  updatedAt: time,
  sla: amount.describe('Hours until the first visit'),
  isMonitored: flag,
  accountManager: accountManager.exactOptional(),
  membershipRegistered: flag,
});

/** The response of section 4.2: each relation is present when `include` names it. */
export const expandedSite = site.extend({
  clients: z.array(client).exactOptional(),
  projects: z.array(project).exactOptional(),
});

export const attachment = z.strictObject({ type: text, title: text, content: text, transcriptionId: text });

export const message = z.strictObject({
  author: text,
  role: text.describe('`client`, `agent` or `system`'),
  createdAt: text.describe('RFC 3339, in UTC'),
  text,
  isInternal: flag,
  rawBody: text,
  attachments: z.array(attachment).exactOptional(),
});

export const associatedConversation = z.strictObject({
  friendlyId: text,
  subject: text,
  status: text,
  statusLastUpdatedAt: text.describe('RFC 3339, in UTC'),
  issue: text,
  resolution: text,
  shortSummary: text,
});

export const conversationSite = z.strictObject({
  address: text,
  serviceLevel: text,
  id: text,
  associatedConversations: z.array(associatedConversation).exactOptional(),
});

export const participantClient = z.strictObject({
  name: text,
  primaryPhoneNumber: text,
  primaryEmail: text,
});

export const participants = z.strictObject({
  agents: z.array(z.string()).exactOptional(),
  clients: z.array(participantClient).exactOptional(),
});

/** Section 2.5. */
export const conversationContext = z.strictObject({
  subject: text,
  messages: z.array(message).exactOptional(),
  status: text.describe('`open`, `pending`, `resolved` or `closed`'),
  type: text.describe('`email`, `chat`, `phone` or `sms`'),
  urgency: text.describe('`low`, `normal`, `high` or `emergency`'),
  labels: z.array(z.string()).exactOptional(),
  requester: text,
  participants: participants.exactOptional(),
  sites: z.array(conversationSite).exactOptional(),
});

export type Site = z.infer<typeof site>;
export type AccountManager = z.infer<typeof accountManager>;
export type Client = z.infer<typeof client>;
export type Email = z.infer<typeof email>;
export type PhoneNumber = z.infer<typeof phoneNumber>;
export type Project = z.infer<typeof project>;
export type ConversationContext = z.infer<typeof conversationContext>;
export type Message = z.infer<typeof message>;
export type Attachment = z.infer<typeof attachment>;
export type ParticipantClient = z.infer<typeof participantClient>;
export type ConversationSite = z.infer<typeof conversationSite>;
export type AssociatedConversation = z.infer<typeof associatedConversation>;
