import {
  type DirectiveNode,
  type DocumentNode,
  execute,
  type FragmentSpreadNode,
  GraphQLError,
  type GraphQLFieldResolver,
  getDirectiveValues,
  getNamedType,
  getVariableValues,
  type InlineFragmentNode,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { subgraphContract as contract, type Relation } from '../../support/contract.ts';
import {
  conversations,
  healthDocument,
  type Json,
  levels,
  mistakenSite,
  sites,
} from '../../support/documents.ts';
import type { Operation } from './operation.ts';

export interface Outcome {
  data: unknown;
  errors: { path: string; code: unknown }[];
}

/** The expected response and reads, by graphql-js over the public contract and the full documents. */
export interface Expectation {
  outcome: Outcome;
  /** All that the operation reads, whether it exists or not. */
  reads: Reads;
  /** The same without the fragments that are deferred until their site is loaded. */
  readsAtOnce: Reads;
}

/** `inParts`: whether the client accepts incremental responses, so that `@defer` takes effect. */
export function expectationOf({ text, variables }: Operation, inParts: boolean): Expectation {
  const document = parse(text);
  const reads = run(document, variables, true).reads;
  return {
    outcome: run(document, variables, false).outcome,
    reads,
    readsAtOnce: inParts ? run(withoutDeferredSiteParts(document, variables), variables, true).reads : reads,
  };
}

function run(document: DocumentNode, variableValues: Record<string, unknown>, everySiteExists: boolean) {
  const reads: Reads = { sites: [], conversations: new Set(), health: false };
  const result = execute({
    schema: contract,
    document,
    variableValues,
    rootValue: {},
    contextValue: { reads, everySiteExists },
    fieldResolver,
    // A site has a record of its relations.
    typeResolver: (value: Source) => ('read' in value ? 'Site' : 'ConversationContext'),
  });
  if (!('data' in result)) throw new Error(`The oracle has no result: ${JSON.stringify(result)}`);
  return { outcome: outcomeFrom(result), reads };
}

interface Result {
  data?: unknown;
  errors?: readonly { path?: readonly unknown[] | undefined; extensions?: Record<string, unknown> }[];
}

/** Comparable: plain JSON, with sorted errors. */
export function outcomeFrom({ data, errors = [] }: Result): Outcome {
  return {
    data: JSON.parse(JSON.stringify(data ?? null)),
    errors: errors
      .map(({ path, extensions }) => ({ path: path?.join('.') ?? '', code: extensions?.code }))
      .sort((a, b) => a.path.localeCompare(b.path)),
  };
}

/**
 * The operation without the fragments that are deferred on a site. Only these wait for a response: a fragment
 * deferred further up has its data, and its sites are requested at once.
 */
function withoutDeferredSiteParts(document: DocumentNode, variables: Record<string, unknown>): DocumentNode {
  const isDeferred = deferralIn(document, variables);
  const types = new TypeInfo(contract);
  const drop = (node: InlineFragmentNode | FragmentSpreadNode) => {
    const type = types.getParentType()?.name;
    const isOfSite = type === 'Site' || (type === '_Entity' && 'typeCondition' in node);
    const condition = 'typeCondition' in node ? node.typeCondition?.name.value : undefined;
    return isOfSite && (condition ?? 'Site') === 'Site' && isDeferred(node) ? null : undefined;
  };
  return visit(
    document,
    visitWithTypeInfo(types, { [Kind.INLINE_FRAGMENT]: drop, [Kind.FRAGMENT_SPREAD]: drop }),
  );
}

function deferralIn(document: DocumentNode, variables: Record<string, unknown>) {
  const definitions = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [],
  );
  const { coerced, errors } = getVariableValues(contract, definitions, variables);
  const defer = contract.getDirective('defer');
  if (errors || !defer) throw new Error('The operation does not fit the contract.');
  return (node: { readonly directives?: readonly DirectiveNode[] }) =>
    getDirectiveValues(defer, node, coerced)?.if === true;
}

/** A site on one path to it, and the relations that are read there. */
export interface SiteRead {
  id: string;
  /** The conversation that names the site; null if the operation itself does. */
  via: string | null;
  relations: Set<Relation>;
}

/** The resources that the executed fields have read. */
interface Reads {
  sites: SiteRead[];
  conversations: Set<string>;
  health: boolean;
}

interface World {
  reads: Reads;
  /** Whether every site exists: then all of its selected relations are read. */
  everySiteExists: boolean;
}

interface Source extends Json {
  /** On a site: the record of its relations. */
  read?: SiteRead;
  /** On a site as a conversation mentions it: the conversation. */
  via?: string;
}

type Resolver = (source: Source, args: Json, world: World) => unknown;

/** The fields that are not just a property of their document. */
const resolvers: Record<string, Resolver> = {
  'Query.site': (_, { id }, world) => siteAt(String(id), null, world),
  'Query.sites': (_, { ids }, world) => (ids as string[]).map((id) => siteAt(id, null, world)),
  'Query.conversationContext': (_, { id }, world) => conversationAt(String(id), world),
  'Query.conversationContexts': (_, { ids }, world) =>
    (ids as string[]).map((id) => conversationAt(id, world)),
  'Query._entities': (_, { representations }, world) =>
    (representations as unknown[]).map((one) => entityAt(Object(one), world)),
  'Query.health': (_, _args, { reads }) => {
    reads.health = true;
    return { reachable: true, statusCode: 200, body: healthDocument };
  },
  'ConversationContext.messages': ({ messages }, args) => messages && slice(messages as Json[], args),
  'ConversationSite.site': ({ id, via }, _, world) => id && siteAt(String(id), via ?? null, world),
  'Site.clients': (site) => relationOf(site, 'clients'),
  'Site.projects': (site) => relationOf(site, 'projects'),
  'Site.primaryClient': (site) => primaryOf(relationOf(site, 'clients'), site.primaryClientId),
  'Site.primaryProject': (site) => primaryOf(relationOf(site, 'projects'), site.primaryProjectId),
  'Site.serviceLevel': ({ serviceLevel }) => levels.get(String(serviceLevel)),
  'Site.serviceLevelLabel': ({ serviceLevel }) => serviceLevel,
};

const formats: Record<string, RegExp> = {
  Date: /^\d{4}-\d\d-\d\d$/,
  DateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
};

const fieldResolver: GraphQLFieldResolver<Source, World, Json> = (source, args, world, info) => {
  const resolve = resolvers[`${info.parentType.name}.${info.fieldName}`];
  const value = (resolve ? resolve(source, args, world) : source[info.fieldName]) ?? null;
  const format = formats[getNamedType(info.returnType).name];
  return format && value !== null && !format.test(String(value))
    ? failure('UPSTREAM_INVALID_RESPONSE')
    : value;
};

function entityAt({ __typename: type, id }: Json, world: World): unknown {
  if (typeof id !== 'string') return failure('BAD_USER_INPUT');
  if (type === 'Site') return siteAt(id, null, world);
  return type === 'ConversationContext' ? conversationAt(id, world) : failure('BAD_USER_INPUT');
}

function siteAt(id: string, via: string | null, { reads, everySiteExists }: World): unknown {
  if (!id.startsWith('SITE-')) return failure(via ? 'UPSTREAM_INVALID_RESPONSE' : 'BAD_USER_INPUT');
  const read: SiteRead = { id, via, relations: new Set() };
  reads.sites.push(read);
  const document = sites.get(id) ?? (everySiteExists ? { id } : undefined);
  if (!document && id === mistakenSite) return failure('UPSTREAM_INVALID_RESPONSE');
  return document && { ...document, read };
}

function conversationAt(text: string, { reads }: World): unknown {
  if (!/^[0-9a-f-]{36}$/i.test(text)) return failure('BAD_USER_INPUT');
  const id = text.toLowerCase();
  reads.conversations.add(id);
  const document = conversations.get(id);
  const mentions = document?.sites as Json[] | undefined;
  return document && { ...document, id, sites: mentions?.map((mention) => ({ ...mention, via: id })) };
}

function relationOf(site: Source, relation: Relation): Json[] | null | undefined {
  site.read?.relations.add(relation);
  return site[relation] as Json[] | null | undefined;
}

function primaryOf(items: Json[] | null | undefined, id: unknown): unknown {
  return items?.find((item) => item.id === id) ?? items?.find((item) => item.isPrimary);
}

function slice(messages: Json[], { first = null, last = null, isInternal = null }: Json): unknown {
  const matching = messages.filter((message) => isInternal === null || message.isInternal === isInternal);
  if (first !== null) return matching.filter((_, index) => index < Number(first));
  return matching.filter((_, index) => last === null || index >= matching.length - Number(last));
}

/** An error as a value: in a list it fails its element alone. */
function failure(code: string): GraphQLError {
  return new GraphQLError(code, { extensions: { code } });
}
