import { conversationIds, oneOf, siteIds } from './population.ts';

export interface Operation {
  query: string;
  variables: Record<string, string | string[]>;
  /** Whether the response is incremental. */
  isIncremental: boolean;
  /** The ids of the objects at the root, in order. */
  ids: string[];
}

const address = 'id address1 city businessName accountManager { id lastName }';
const clients = 'clients { id name emails { id value } }';
const projects = 'projects { id name stage }';
const conversation =
  'id subject labels requester messages { author text } participants { agents clients { name } }';

/** Operations on one site, two sites, one conversation and two conversations; every list at the root is `found`. */
const makers: (() => Operation)[] = [
  () => ofSite(address),
  () => ofSite(`${address} ${clients}`),
  () => ofSite(`${address} primaryClient { id name } ${projects}`),
  () => ofSite(`${address} ... @defer { ${clients} }`),
  () => ofSite(`${address} ${projects} ... @defer { primaryClient { name } }`),
  () => ofSites(`${address} ${clients} ${projects}`),
  () => ofSites(`${address} ... @defer { primaryProject { id stage } }`),
  () => ofConversation(`${conversation} sites { address site { ${address} ${projects} } }`),
  () => ofConversation(`${conversation} ... @defer { sites { address site { city ${clients} } } }`),
  () => ofConversations(`${conversation} sites { address site { id city } }`),
];

export function anyOperation(): Operation {
  return oneOf(makers)();
}

function ofSite(selection: string): Operation {
  const id = oneOf(siteIds);
  return of('query ($id: ID!) { found: site(id: $id)', selection, { id }, [id]);
}

function ofSites(selection: string): Operation {
  const ids = [oneOf(siteIds), oneOf(siteIds)];
  return of('query ($ids: [ID!]!) { found: sites(ids: $ids)', selection, { ids }, ids);
}

function ofConversation(selection: string): Operation {
  const id = oneOf(conversationIds);
  return of('query ($id: ID!) { found: conversationContext(id: $id)', selection, { id }, [id]);
}

function ofConversations(selection: string): Operation {
  const ids = [oneOf(conversationIds), oneOf(conversationIds)];
  return of('query ($ids: [ID!]!) { found: conversationContexts(ids: $ids)', selection, { ids }, ids);
}

function of(head: string, selection: string, variables: Operation['variables'], ids: string[]): Operation {
  return { query: `${head} { ${selection} } }`, variables, isIncremental: selection.includes('@defer'), ids };
}
