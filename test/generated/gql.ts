/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "# One REST call: a site with its clients\nquery Site($id: ID!) {\n  site(id: $id) {\n    id\n    address1\n    city\n    serviceLevel\n    accountManager {\n      firstName\n      lastName\n    }\n    clients {\n      name\n      isPrimary\n      emails {\n        value\n        label\n      }\n    }\n  }\n}\n": typeof types.SiteDocument,
    "# One REST call, and one for each of its sites\nquery Conversation($id: ID!) {\n  conversationContext(id: $id) {\n    subject\n    status\n    urgency\n    messages(last: 5, isInternal: false) {\n      author\n      createdAt\n      text\n    }\n    sites {\n      address\n      site {\n        id\n        serviceLevelLabel\n        isMonitored\n      }\n    }\n  }\n}\n": typeof types.ConversationDocument,
    "# Two views: what both select is loaded once\nquery Dashboard($site: ID!, $conversation: ID!) {\n  site(id: $site) {\n    ...Card\n    primaryProject {\n      name\n      stage\n    }\n  }\n  conversationContext(id: $conversation) {\n    subject\n    status\n    participants {\n      agents\n      clients {\n        name\n        primaryPhoneNumber\n      }\n    }\n    sites {\n      site {\n        ...Card\n      }\n      associatedConversations {\n        friendlyId\n        subject\n        resolution\n      }\n    }\n  }\n}\n\nfragment Card on Site {\n  id\n  address1\n  city\n  serviceLevelLabel\n  primaryClient {\n    name\n  }\n}\n": typeof types.DashboardDocument,
    "# Two REST calls: the clients arrive when the rest is already there\nquery Deferred($id: ID!) {\n  site(id: $id) {\n    address1\n    city\n    ... @defer {\n      clients {\n        name\n      }\n    }\n  }\n}\n": typeof types.DeferredDocument,
};
const documents: Documents = {
    "# One REST call: a site with its clients\nquery Site($id: ID!) {\n  site(id: $id) {\n    id\n    address1\n    city\n    serviceLevel\n    accountManager {\n      firstName\n      lastName\n    }\n    clients {\n      name\n      isPrimary\n      emails {\n        value\n        label\n      }\n    }\n  }\n}\n": types.SiteDocument,
    "# One REST call, and one for each of its sites\nquery Conversation($id: ID!) {\n  conversationContext(id: $id) {\n    subject\n    status\n    urgency\n    messages(last: 5, isInternal: false) {\n      author\n      createdAt\n      text\n    }\n    sites {\n      address\n      site {\n        id\n        serviceLevelLabel\n        isMonitored\n      }\n    }\n  }\n}\n": types.ConversationDocument,
    "# Two views: what both select is loaded once\nquery Dashboard($site: ID!, $conversation: ID!) {\n  site(id: $site) {\n    ...Card\n    primaryProject {\n      name\n      stage\n    }\n  }\n  conversationContext(id: $conversation) {\n    subject\n    status\n    participants {\n      agents\n      clients {\n        name\n        primaryPhoneNumber\n      }\n    }\n    sites {\n      site {\n        ...Card\n      }\n      associatedConversations {\n        friendlyId\n        subject\n        resolution\n      }\n    }\n  }\n}\n\nfragment Card on Site {\n  id\n  address1\n  city\n  serviceLevelLabel\n  primaryClient {\n    name\n  }\n}\n": types.DashboardDocument,
    "# Two REST calls: the clients arrive when the rest is already there\nquery Deferred($id: ID!) {\n  site(id: $id) {\n    address1\n    city\n    ... @defer {\n      clients {\n        name\n      }\n    }\n  }\n}\n": types.DeferredDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "# One REST call: a site with its clients\nquery Site($id: ID!) {\n  site(id: $id) {\n    id\n    address1\n    city\n    serviceLevel\n    accountManager {\n      firstName\n      lastName\n    }\n    clients {\n      name\n      isPrimary\n      emails {\n        value\n        label\n      }\n    }\n  }\n}\n"): (typeof documents)["# One REST call: a site with its clients\nquery Site($id: ID!) {\n  site(id: $id) {\n    id\n    address1\n    city\n    serviceLevel\n    accountManager {\n      firstName\n      lastName\n    }\n    clients {\n      name\n      isPrimary\n      emails {\n        value\n        label\n      }\n    }\n  }\n}\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "# One REST call, and one for each of its sites\nquery Conversation($id: ID!) {\n  conversationContext(id: $id) {\n    subject\n    status\n    urgency\n    messages(last: 5, isInternal: false) {\n      author\n      createdAt\n      text\n    }\n    sites {\n      address\n      site {\n        id\n        serviceLevelLabel\n        isMonitored\n      }\n    }\n  }\n}\n"): (typeof documents)["# One REST call, and one for each of its sites\nquery Conversation($id: ID!) {\n  conversationContext(id: $id) {\n    subject\n    status\n    urgency\n    messages(last: 5, isInternal: false) {\n      author\n      createdAt\n      text\n    }\n    sites {\n      address\n      site {\n        id\n        serviceLevelLabel\n        isMonitored\n      }\n    }\n  }\n}\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "# Two views: what both select is loaded once\nquery Dashboard($site: ID!, $conversation: ID!) {\n  site(id: $site) {\n    ...Card\n    primaryProject {\n      name\n      stage\n    }\n  }\n  conversationContext(id: $conversation) {\n    subject\n    status\n    participants {\n      agents\n      clients {\n        name\n        primaryPhoneNumber\n      }\n    }\n    sites {\n      site {\n        ...Card\n      }\n      associatedConversations {\n        friendlyId\n        subject\n        resolution\n      }\n    }\n  }\n}\n\nfragment Card on Site {\n  id\n  address1\n  city\n  serviceLevelLabel\n  primaryClient {\n    name\n  }\n}\n"): (typeof documents)["# Two views: what both select is loaded once\nquery Dashboard($site: ID!, $conversation: ID!) {\n  site(id: $site) {\n    ...Card\n    primaryProject {\n      name\n      stage\n    }\n  }\n  conversationContext(id: $conversation) {\n    subject\n    status\n    participants {\n      agents\n      clients {\n        name\n        primaryPhoneNumber\n      }\n    }\n    sites {\n      site {\n        ...Card\n      }\n      associatedConversations {\n        friendlyId\n        subject\n        resolution\n      }\n    }\n  }\n}\n\nfragment Card on Site {\n  id\n  address1\n  city\n  serviceLevelLabel\n  primaryClient {\n    name\n  }\n}\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "# Two REST calls: the clients arrive when the rest is already there\nquery Deferred($id: ID!) {\n  site(id: $id) {\n    address1\n    city\n    ... @defer {\n      clients {\n        name\n      }\n    }\n  }\n}\n"): (typeof documents)["# Two REST calls: the clients arrive when the rest is already there\nquery Deferred($id: ID!) {\n  site(id: $id) {\n    address1\n    city\n    ... @defer {\n      clients {\n        name\n      }\n    }\n  }\n}\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;