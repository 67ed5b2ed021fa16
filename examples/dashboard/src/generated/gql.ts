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
    "\n  fragment ConcernedSite on ConversationSite {\n    id\n    address\n    serviceLevel\n    associatedConversations {\n      ...EarlierConversation\n    }\n  }\n": typeof types.ConcernedSiteFragmentDoc,
    "\n  fragment ConcernedSiteCard on ConversationSite {\n    site {\n      id\n      ...SiteCard\n    }\n  }\n": typeof types.ConcernedSiteCardFragmentDoc,
    "\n  query ConversationPage($id: ID!) {\n    conversationContext(id: $id) {\n      id\n      subject\n      ...ConversationSummary\n      ...ParticipantList\n      messages {\n        ...ThreadMessage\n      }\n      sites {\n        id\n        ...ConcernedSite\n        ...ConcernedSiteCard @defer\n      }\n    }\n  }\n": typeof types.ConversationPageDocument,
    "\n  subscription ConversationPageLive($id: ID!) {\n    live {\n      conversationContext(id: $id) {\n        id\n        subject\n        ...ConversationSummary\n        ...ParticipantList\n        messages {\n          ...ThreadMessage\n        }\n        sites {\n          id\n          ...ConcernedSite\n          ...ConcernedSiteCard\n        }\n      }\n    }\n  }\n": typeof types.ConversationPageLiveDocument,
    "\n  fragment ConversationSummary on ConversationContext {\n    id\n    status\n    type\n    urgency\n    labels\n    requester\n  }\n": typeof types.ConversationSummaryFragmentDoc,
    "\n  fragment EarlierConversation on AssociatedConversation {\n    friendlyId\n    subject\n    status\n    statusLastUpdatedAt\n    shortSummary\n    issue\n    resolution\n  }\n": typeof types.EarlierConversationFragmentDoc,
    "\n  fragment ParticipantList on ConversationContext {\n    id\n    participants {\n      agents\n      clients {\n        name\n        primaryEmail\n        primaryPhoneNumber\n      }\n    }\n  }\n": typeof types.ParticipantListFragmentDoc,
    "\n  fragment ThreadMessage on Message {\n    createdAt\n    author\n    role\n    text\n    rawBody\n    isInternal\n    attachments {\n      type\n      title\n      content\n      transcriptionId\n    }\n  }\n": typeof types.ThreadMessageFragmentDoc,
    "\n  fragment ClientCard on Client {\n    id\n    name\n    firstName\n    lastName\n    partnerName\n    isPrimary\n    marketingOptOut\n    emails {\n      id\n      value\n      label\n    }\n    phoneNumbers {\n      id\n      value\n      ext\n      label\n    }\n  }\n": typeof types.ClientCardFragmentDoc,
    "\n  fragment Project on Project {\n    id\n    name\n    isPrimary\n    stage\n    signingDate\n    estimatedDay1\n    day1StartDate\n    warrantyExpiration\n  }\n": typeof types.ProjectFragmentDoc,
    "\n  fragment SiteCard on Site {\n    id\n    address1\n    address2\n    city\n    state\n    zip\n    businessName\n    clientSegment\n    serviceLevel\n    serviceLevelLabel\n    sla\n    isMonitored\n    membershipRegistered\n    createdAt\n    cppExpDate\n    accountManager {\n      id\n      firstName\n      lastName\n    }\n  }\n": typeof types.SiteCardFragmentDoc,
    "\n  query SitePage($id: ID!) {\n    site(id: $id) {\n      id\n      address1\n      businessName\n      ...SiteCard\n      ...SiteRelations @defer\n    }\n  }\n": typeof types.SitePageDocument,
    "\n  subscription SitePageLive($id: ID!) {\n    live {\n      site(id: $id) {\n        id\n        address1\n        businessName\n        ...SiteCard\n        ...SiteRelations\n      }\n    }\n  }\n": typeof types.SitePageLiveDocument,
    "\n  fragment SiteRelations on Site {\n    id\n    clients {\n      id\n      ...ClientCard\n    }\n    projects {\n      id\n      ...Project\n    }\n  }\n": typeof types.SiteRelationsFragmentDoc,
    "\n  fragment SiteRow on Site {\n    id\n    businessName\n    address1\n    address2\n    city\n    state\n    serviceLevel\n    serviceLevelLabel\n    cppExpDate\n  }\n": typeof types.SiteRowFragmentDoc,
    "\n  query SitesPage($ids: [ID!]!) {\n    sites(ids: $ids) {\n      id\n      ...SiteRow\n    }\n  }\n": typeof types.SitesPageDocument,
    "\n  subscription SitesPageLive($ids: [ID!]!) {\n    live {\n      sites(ids: $ids) {\n        id\n        ...SiteRow\n      }\n    }\n  }\n": typeof types.SitesPageLiveDocument,
};
const documents: Documents = {
    "\n  fragment ConcernedSite on ConversationSite {\n    id\n    address\n    serviceLevel\n    associatedConversations {\n      ...EarlierConversation\n    }\n  }\n": types.ConcernedSiteFragmentDoc,
    "\n  fragment ConcernedSiteCard on ConversationSite {\n    site {\n      id\n      ...SiteCard\n    }\n  }\n": types.ConcernedSiteCardFragmentDoc,
    "\n  query ConversationPage($id: ID!) {\n    conversationContext(id: $id) {\n      id\n      subject\n      ...ConversationSummary\n      ...ParticipantList\n      messages {\n        ...ThreadMessage\n      }\n      sites {\n        id\n        ...ConcernedSite\n        ...ConcernedSiteCard @defer\n      }\n    }\n  }\n": types.ConversationPageDocument,
    "\n  subscription ConversationPageLive($id: ID!) {\n    live {\n      conversationContext(id: $id) {\n        id\n        subject\n        ...ConversationSummary\n        ...ParticipantList\n        messages {\n          ...ThreadMessage\n        }\n        sites {\n          id\n          ...ConcernedSite\n          ...ConcernedSiteCard\n        }\n      }\n    }\n  }\n": types.ConversationPageLiveDocument,
    "\n  fragment ConversationSummary on ConversationContext {\n    id\n    status\n    type\n    urgency\n    labels\n    requester\n  }\n": types.ConversationSummaryFragmentDoc,
    "\n  fragment EarlierConversation on AssociatedConversation {\n    friendlyId\n    subject\n    status\n    statusLastUpdatedAt\n    shortSummary\n    issue\n    resolution\n  }\n": types.EarlierConversationFragmentDoc,
    "\n  fragment ParticipantList on ConversationContext {\n    id\n    participants {\n      agents\n      clients {\n        name\n        primaryEmail\n        primaryPhoneNumber\n      }\n    }\n  }\n": types.ParticipantListFragmentDoc,
    "\n  fragment ThreadMessage on Message {\n    createdAt\n    author\n    role\n    text\n    rawBody\n    isInternal\n    attachments {\n      type\n      title\n      content\n      transcriptionId\n    }\n  }\n": types.ThreadMessageFragmentDoc,
    "\n  fragment ClientCard on Client {\n    id\n    name\n    firstName\n    lastName\n    partnerName\n    isPrimary\n    marketingOptOut\n    emails {\n      id\n      value\n      label\n    }\n    phoneNumbers {\n      id\n      value\n      ext\n      label\n    }\n  }\n": types.ClientCardFragmentDoc,
    "\n  fragment Project on Project {\n    id\n    name\n    isPrimary\n    stage\n    signingDate\n    estimatedDay1\n    day1StartDate\n    warrantyExpiration\n  }\n": types.ProjectFragmentDoc,
    "\n  fragment SiteCard on Site {\n    id\n    address1\n    address2\n    city\n    state\n    zip\n    businessName\n    clientSegment\n    serviceLevel\n    serviceLevelLabel\n    sla\n    isMonitored\n    membershipRegistered\n    createdAt\n    cppExpDate\n    accountManager {\n      id\n      firstName\n      lastName\n    }\n  }\n": types.SiteCardFragmentDoc,
    "\n  query SitePage($id: ID!) {\n    site(id: $id) {\n      id\n      address1\n      businessName\n      ...SiteCard\n      ...SiteRelations @defer\n    }\n  }\n": types.SitePageDocument,
    "\n  subscription SitePageLive($id: ID!) {\n    live {\n      site(id: $id) {\n        id\n        address1\n        businessName\n        ...SiteCard\n        ...SiteRelations\n      }\n    }\n  }\n": types.SitePageLiveDocument,
    "\n  fragment SiteRelations on Site {\n    id\n    clients {\n      id\n      ...ClientCard\n    }\n    projects {\n      id\n      ...Project\n    }\n  }\n": types.SiteRelationsFragmentDoc,
    "\n  fragment SiteRow on Site {\n    id\n    businessName\n    address1\n    address2\n    city\n    state\n    serviceLevel\n    serviceLevelLabel\n    cppExpDate\n  }\n": types.SiteRowFragmentDoc,
    "\n  query SitesPage($ids: [ID!]!) {\n    sites(ids: $ids) {\n      id\n      ...SiteRow\n    }\n  }\n": types.SitesPageDocument,
    "\n  subscription SitesPageLive($ids: [ID!]!) {\n    live {\n      sites(ids: $ids) {\n        id\n        ...SiteRow\n      }\n    }\n  }\n": types.SitesPageLiveDocument,
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
export function graphql(source: "\n  fragment ConcernedSite on ConversationSite {\n    id\n    address\n    serviceLevel\n    associatedConversations {\n      ...EarlierConversation\n    }\n  }\n"): (typeof documents)["\n  fragment ConcernedSite on ConversationSite {\n    id\n    address\n    serviceLevel\n    associatedConversations {\n      ...EarlierConversation\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ConcernedSiteCard on ConversationSite {\n    site {\n      id\n      ...SiteCard\n    }\n  }\n"): (typeof documents)["\n  fragment ConcernedSiteCard on ConversationSite {\n    site {\n      id\n      ...SiteCard\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
/** 1 + sites REST calls */
export function graphql(source: "\n  query ConversationPage($id: ID!) {\n    conversationContext(id: $id) {\n      id\n      subject\n      ...ConversationSummary\n      ...ParticipantList\n      messages {\n        ...ThreadMessage\n      }\n      sites {\n        id\n        ...ConcernedSite\n        ...ConcernedSiteCard @defer\n      }\n    }\n  }\n"): (typeof documents)["\n  query ConversationPage($id: ID!) {\n    conversationContext(id: $id) {\n      id\n      subject\n      ...ConversationSummary\n      ...ParticipantList\n      messages {\n        ...ThreadMessage\n      }\n      sites {\n        id\n        ...ConcernedSite\n        ...ConcernedSiteCard @defer\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
/** 1 + sites REST calls a round of polls */
export function graphql(source: "\n  subscription ConversationPageLive($id: ID!) {\n    live {\n      conversationContext(id: $id) {\n        id\n        subject\n        ...ConversationSummary\n        ...ParticipantList\n        messages {\n          ...ThreadMessage\n        }\n        sites {\n          id\n          ...ConcernedSite\n          ...ConcernedSiteCard\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription ConversationPageLive($id: ID!) {\n    live {\n      conversationContext(id: $id) {\n        id\n        subject\n        ...ConversationSummary\n        ...ParticipantList\n        messages {\n          ...ThreadMessage\n        }\n        sites {\n          id\n          ...ConcernedSite\n          ...ConcernedSiteCard\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ConversationSummary on ConversationContext {\n    id\n    status\n    type\n    urgency\n    labels\n    requester\n  }\n"): (typeof documents)["\n  fragment ConversationSummary on ConversationContext {\n    id\n    status\n    type\n    urgency\n    labels\n    requester\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment EarlierConversation on AssociatedConversation {\n    friendlyId\n    subject\n    status\n    statusLastUpdatedAt\n    shortSummary\n    issue\n    resolution\n  }\n"): (typeof documents)["\n  fragment EarlierConversation on AssociatedConversation {\n    friendlyId\n    subject\n    status\n    statusLastUpdatedAt\n    shortSummary\n    issue\n    resolution\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ParticipantList on ConversationContext {\n    id\n    participants {\n      agents\n      clients {\n        name\n        primaryEmail\n        primaryPhoneNumber\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment ParticipantList on ConversationContext {\n    id\n    participants {\n      agents\n      clients {\n        name\n        primaryEmail\n        primaryPhoneNumber\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ThreadMessage on Message {\n    createdAt\n    author\n    role\n    text\n    rawBody\n    isInternal\n    attachments {\n      type\n      title\n      content\n      transcriptionId\n    }\n  }\n"): (typeof documents)["\n  fragment ThreadMessage on Message {\n    createdAt\n    author\n    role\n    text\n    rawBody\n    isInternal\n    attachments {\n      type\n      title\n      content\n      transcriptionId\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ClientCard on Client {\n    id\n    name\n    firstName\n    lastName\n    partnerName\n    isPrimary\n    marketingOptOut\n    emails {\n      id\n      value\n      label\n    }\n    phoneNumbers {\n      id\n      value\n      ext\n      label\n    }\n  }\n"): (typeof documents)["\n  fragment ClientCard on Client {\n    id\n    name\n    firstName\n    lastName\n    partnerName\n    isPrimary\n    marketingOptOut\n    emails {\n      id\n      value\n      label\n    }\n    phoneNumbers {\n      id\n      value\n      ext\n      label\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Project on Project {\n    id\n    name\n    isPrimary\n    stage\n    signingDate\n    estimatedDay1\n    day1StartDate\n    warrantyExpiration\n  }\n"): (typeof documents)["\n  fragment Project on Project {\n    id\n    name\n    isPrimary\n    stage\n    signingDate\n    estimatedDay1\n    day1StartDate\n    warrantyExpiration\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SiteCard on Site {\n    id\n    address1\n    address2\n    city\n    state\n    zip\n    businessName\n    clientSegment\n    serviceLevel\n    serviceLevelLabel\n    sla\n    isMonitored\n    membershipRegistered\n    createdAt\n    cppExpDate\n    accountManager {\n      id\n      firstName\n      lastName\n    }\n  }\n"): (typeof documents)["\n  fragment SiteCard on Site {\n    id\n    address1\n    address2\n    city\n    state\n    zip\n    businessName\n    clientSegment\n    serviceLevel\n    serviceLevelLabel\n    sla\n    isMonitored\n    membershipRegistered\n    createdAt\n    cppExpDate\n    accountManager {\n      id\n      firstName\n      lastName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
/** 2 REST calls */
export function graphql(source: "\n  query SitePage($id: ID!) {\n    site(id: $id) {\n      id\n      address1\n      businessName\n      ...SiteCard\n      ...SiteRelations @defer\n    }\n  }\n"): (typeof documents)["\n  query SitePage($id: ID!) {\n    site(id: $id) {\n      id\n      address1\n      businessName\n      ...SiteCard\n      ...SiteRelations @defer\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
/** 1 REST call a round of polls */
export function graphql(source: "\n  subscription SitePageLive($id: ID!) {\n    live {\n      site(id: $id) {\n        id\n        address1\n        businessName\n        ...SiteCard\n        ...SiteRelations\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription SitePageLive($id: ID!) {\n    live {\n      site(id: $id) {\n        id\n        address1\n        businessName\n        ...SiteCard\n        ...SiteRelations\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SiteRelations on Site {\n    id\n    clients {\n      id\n      ...ClientCard\n    }\n    projects {\n      id\n      ...Project\n    }\n  }\n"): (typeof documents)["\n  fragment SiteRelations on Site {\n    id\n    clients {\n      id\n      ...ClientCard\n    }\n    projects {\n      id\n      ...Project\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SiteRow on Site {\n    id\n    businessName\n    address1\n    address2\n    city\n    state\n    serviceLevel\n    serviceLevelLabel\n    cppExpDate\n  }\n"): (typeof documents)["\n  fragment SiteRow on Site {\n    id\n    businessName\n    address1\n    address2\n    city\n    state\n    serviceLevel\n    serviceLevelLabel\n    cppExpDate\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
/** $ids REST calls */
export function graphql(source: "\n  query SitesPage($ids: [ID!]!) {\n    sites(ids: $ids) {\n      id\n      ...SiteRow\n    }\n  }\n"): (typeof documents)["\n  query SitesPage($ids: [ID!]!) {\n    sites(ids: $ids) {\n      id\n      ...SiteRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
/** $ids REST calls a round of polls */
export function graphql(source: "\n  subscription SitesPageLive($ids: [ID!]!) {\n    live {\n      sites(ids: $ids) {\n        id\n        ...SiteRow\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription SitesPageLive($ids: [ID!]!) {\n    live {\n      sites(ids: $ids) {\n        id\n        ...SiteRow\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;