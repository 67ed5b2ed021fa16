import type { GraphQLResolveInfo } from 'graphql';

/** The enum values of the shared schema, and what the REST API calls them. */
export const serviceLevels = {
  SIGNATURE: 'Signature',
  PRIORITY: 'Priority',
  ESSENTIALS_PLUS: 'Essentials Plus',
  LEGACY: 'Legacy',
};

const relations = ['clients', 'projects'];

/** The relations that the field selects, as the `include` of the REST API. */
export function includeOf({ fieldNodes }: Pick<GraphQLResolveInfo, 'fieldNodes'>): string {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const names = new Set(selections.map((selection) => selection.kind === 'Field' && selection.name.value));
  return relations.filter((relation) => names.has(relation)).join();
}

/** The part of the schema that the operations need, for contenders that read it as SDL. */
export const typeDefinitions = `
  type Query {
    site(id: ID!): Site
    sites(ids: [ID!]!): [Site]!
    conversationContext(id: ID!): ConversationContext
  }
  type Site {
    id: ID!
    address1: String
    address2: String
    city: String
    state: String
    zip: String
    businessName: String
    serviceLevel: ServiceLevel
    clients: [Client!]
    projects: [Project!]
  }
  enum ServiceLevel { ${Object.keys(serviceLevels).join(' ')} }
  type Client { id: ID name: String isPrimary: Boolean emails: [Email!] }
  type Email { id: ID value: String label: String isPrimary: Boolean }
  type Project { id: ID name: String stage: String isPrimary: Boolean }
  type ConversationContext {
    subject: String
    status: String
    messages: [Message!]
    sites: [ConversationSite!]
  }
  type Message { author: String createdAt: String text: String }
  type ConversationSite { id: ID address: String serviceLevel: String site: Site }
`;
