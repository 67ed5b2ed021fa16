import { z } from 'zod';

/** Section 2 of the REST document, written again to check the reference's own schemas. Closed: an unknown field is a fault. */
const text = z.string().optional();
const flag = z.boolean().optional();
const moment = z.iso.datetime({ offset: true }).optional();
const day = z.iso.date().optional();
const uuid = z.uuid().optional();
const address = z.string().nullable();

const email = z.strictObject({ id: uuid, value: z.email().optional(), label: text, isPrimary: flag });
const phone = z.strictObject({
  id: uuid,
  value: text,
  ext: z.number().optional(),
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
  emails: z.array(email).optional(),
  phoneNumbers: z.array(phone).optional(),
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

export const serviceLevels = [
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
  'Brightwell - Internal',
  'Legacy',
] as const;

export const site = z.strictObject({
  id: z.string().regex(/^SITE-.*$/),
  address1: address,
  address2: address,
  city: address,
  state: address,
  zip: address,
  tosAccepted: text,
  serviceLevel: z.enum(serviceLevels).optional(),
  clientSegment: text,
  cppExpDate: moment,
  businessName: text,
  brandId: text,
  primaryClientId: text,
  primaryProjectId: text,
  createdAt: moment,
  updatedAt: moment,
  sla: z.number().optional(),
  isMonitored: flag,
  accountManager: z.strictObject({ id: uuid, firstName: text, lastName: text }).optional(),
  membershipRegistered: flag,
  clients: z.array(client).optional(),
  projects: z.array(project).optional(),
});

const attachment = z.strictObject({ type: text, title: text, content: text, transcriptionId: text });

const message = z.strictObject({
  author: text,
  role: text,
  createdAt: text,
  text,
  isInternal: flag,
  rawBody: text,
  attachments: z.array(attachment).optional(),
});

const associated = z.strictObject({
  friendlyId: text,
  subject: text,
  status: text,
  statusLastUpdatedAt: text,
  issue: text,
  resolution: text,
  shortSummary: text,
});

const conversationSite = z.strictObject({
  address: text,
  serviceLevel: text,
  id: text,
  associatedConversations: z.array(associated).optional(),
});

const participant = z.strictObject({ name: text, primaryPhoneNumber: text, primaryEmail: text });

export const context = z.strictObject({
  subject: text,
  messages: z.array(message).optional(),
  status: text,
  type: text,
  urgency: text,
  labels: z.array(z.string()).optional(),
  requester: text,
  participants: z
    .strictObject({ agents: z.array(z.string()).optional(), clients: z.array(participant).optional() })
    .optional(),
  sites: z.array(conversationSite).optional(),
});

export type Site = z.infer<typeof site>;
export type Context = z.infer<typeof context>;

export interface Seen {
  present: Set<string>;
  absent: Set<string>;
}

/** Records for every optional field of `schema`, at any depth, whether `value` has it. */
export function noteOptionals(schema: z.core.$ZodType, value: unknown, path: string, seen: Seen): void {
  if (schema instanceof z.ZodOptional) {
    (value === undefined ? seen.absent : seen.present).add(path);
    if (value !== undefined) noteOptionals(schema.unwrap(), value, path, seen);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) noteOptionals(schema.element, item, `${path}[]`, seen);
  } else if (schema instanceof z.ZodObject && value instanceof Object) {
    const fields = new Map(Object.entries(value));
    for (const [name, field] of Object.entries(schema.shape)) {
      noteOptionals(field as z.core.$ZodType, fields.get(name), `${path}.${name}`, seen);
    }
  }
}
