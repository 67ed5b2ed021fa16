import { UpstreamInvalidResponse } from '../errors.ts';
import {
  type AccountManager,
  type AssociatedConversation,
  type Attachment,
  type Client,
  type ConversationContext,
  type ConversationSite,
  type Email,
  type Message,
  type ParticipantClient,
  type Participants,
  type PhoneNumber,
  type Project,
  type Relation,
  relations,
  type ServiceLevel,
  type Site,
} from '../resources.ts';
import { serviceLevelFromLabel } from './service-level.ts';
import {
  boolean,
  type Drift,
  isObject,
  list,
  number,
  object,
  type Reader,
  requiredString,
  string,
} from './shape.ts';

type BareSite = Omit<Site, 'serviceLevelLabel' | Relation>;

const serviceLevel: Reader<ServiceLevel> = (value, field, drift) => {
  const label = string(value, field, drift);
  if (label === null) return null;
  const level = serviceLevelFromLabel(label);
  if (level === 'UNRECOGNIZED') drift(field);
  return level;
};

const bareSite = object<BareSite>('Site', {
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
  accountManager: object<AccountManager>('AccountManager', {
    id: string,
    firstName: string,
    lastName: string,
  }),
  membershipRegistered: boolean,
});

const client = object<Client>('Client', {
  id: string,
  name: string,
  firstName: string,
  lastName: string,
  partnerName: string,
  marketingOptOut: boolean,
  emails: list(object<Email>('Email', { id: string, value: string, label: string, isPrimary: boolean })),
  phoneNumbers: list(
    object<PhoneNumber>('PhoneNumber', {
      id: string,
      value: string,
      ext: number,
      label: string,
      isPrimary: boolean,
    }),
  ),
  isPrimary: boolean,
});

const project = object<Project>('Project', {
  id: string,
  name: string,
  isPrimary: boolean,
  stage: string,
  estimatedDay1: string,
  day1StartDate: string,
  warrantyExpiration: string,
  signingDate: string,
});

const relationReaders = { clients: list(client), projects: list(project) };

const message = object<Message>('Message', {
  author: string,
  role: string,
  createdAt: string,
  text: string,
  isInternal: boolean,
  rawBody: string,
  attachments: list(
    object<Attachment>('Attachment', {
      type: string,
      title: string,
      content: string,
      transcriptionId: string,
    }),
  ),
});

const participants = object<Participants>('Participants', {
  agents: list(string),
  clients: list(
    object<ParticipantClient>('ParticipantClient', {
      name: string,
      primaryPhoneNumber: string,
      primaryEmail: string,
    }),
  ),
});

const conversationSite = object<ConversationSite>('ConversationSite', {
  address: string,
  serviceLevel: string,
  id: string,
  associatedConversations: list(
    object<AssociatedConversation>('AssociatedConversation', {
      friendlyId: string,
      subject: string,
      status: string,
      statusLastUpdatedAt: string,
      issue: string,
      resolution: string,
      shortSummary: string,
    }),
  ),
});

const conversationContext = object<Omit<ConversationContext, 'id'>>('ConversationContext', {
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

/** Every field that may be reported to `drift`, each once. */
export const driftFields: readonly string[] = [
  ...new Set([
    ...(bareSite.fields ?? []),
    ...relations.flatMap((relation) => [`Site.${relation}`, ...(relationReaders[relation].fields ?? [])]),
    'ConversationContext',
    ...(conversationContext.fields ?? []),
  ]),
];

/**
 * A site from the JSON that the REST API sent for `id` (REST document, 2.1). Of the relations only those of `include`
 * are read: others may be incomplete.
 * @throws UpstreamInvalidResponse when it is no object, or another site than the one asked for
 */
export function siteFromJson(json: unknown, id: string, include: readonly Relation[], drift: Drift): Site {
  if (!isObject(json)) throw new UpstreamInvalidResponse('a site must be a JSON object');
  const { serviceLevel: label } = json;
  const site = bareSite(json, 'Site', drift) as Site;
  if (site.id !== id) throw new UpstreamInvalidResponse('it is another site than the one requested');
  site.serviceLevelLabel = typeof label === 'string' ? label : null;
  readRelation(json, 'clients', include, drift);
  readRelation(json, 'projects', include, drift);
  return site;
}

/** The absence of a requested relation is drift too. */
function readRelation(
  json: Record<string, unknown>,
  relation: Relation,
  include: readonly Relation[],
  drift: Drift,
): void {
  if (include.includes(relation)) {
    json[relation] = relationReaders[relation](json[relation] ?? null, `Site.${relation}`, drift);
  } else if (relation in json) delete json[relation];
}

/**
 * The context of the conversation `id` from the JSON that the REST API sent for it (REST document, 2.5).
 * @throws UpstreamInvalidResponse when it is no object
 */
export function conversationContextFromJson(json: unknown, id: string, drift: Drift): ConversationContext {
  const context = conversationContext(json, 'ConversationContext', drift);
  if (context === null) throw new UpstreamInvalidResponse('a conversation context must be a JSON object');
  return Object.assign(context, { id });
}
