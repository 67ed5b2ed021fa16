import type { GraphQLResolveInfo } from 'graphql';

/** The enum values of the schema, by what the REST API calls them. */
const levels: Record<string, string> = {
  Signature: 'SIGNATURE',
  Priority: 'PRIORITY',
  'Essentials Plus': 'ESSENTIALS_PLUS',
  Legacy: 'LEGACY',
};

/** The part of Portico's schema that the operations need. */
export const typeDefs = `
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
  }
  enum ServiceLevel { ${Object.values(levels).join(' ')} }
  type Client { id: ID name: String isPrimary: Boolean emails: [Email!] }
  type Email { id: ID value: String label: String isPrimary: Boolean }
  type ConversationContext { subject: String status: String messages: [Message!] }
  type Message { author: String createdAt: String text: String }
`;

/** Creates the resolvers of that schema: `get` reads a path of the REST API. */
export function createResolvers<Context>(get: (path: string, context: Context) => Promise<unknown>) {
  const getSite = (id: string, context: Context, info: GraphQLResolveInfo) =>
    get(`/v1/site/${encodeURIComponent(id)}${includeOf(info)}`, context);
  return {
    Site: { serviceLevel: ({ serviceLevel }: { serviceLevel: string }) => levels[serviceLevel] },
    Query: {
      site: (_: unknown, { id }: { id: string }, context: Context, info: GraphQLResolveInfo) =>
        getSite(id, context, info),
      sites: (_: unknown, { ids }: { ids: string[] }, context: Context, info: GraphQLResolveInfo) =>
        Promise.all(ids.map((id) => getSite(id, context, info))),
      conversationContext: (_: unknown, { id }: { id: string }, context: Context) =>
        get(`/v1/conversation/${encodeURIComponent(id)}/context`, context),
    },
  };
}

/** The query of the REST call that the field's selection needs. */
function includeOf({ fieldNodes }: GraphQLResolveInfo): string {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const isSelected = selections.some(
    ({ kind, ...field }) => 'name' in field && field.name.value === 'clients',
  );
  return isSelected ? '?include=clients' : '';
}
