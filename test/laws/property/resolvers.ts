import { GraphQLError, type GraphQLFieldResolver, getNamedType } from 'graphql';
import type { Relation } from '../../support/contract.ts';
import {
  conversations,
  healthDocument,
  type Json,
  levels,
  mistakenSite,
  sites,
} from '../../support/documents.ts';

/** A site on one path to it, and the relations that are read there. */
export interface SiteRead {
  id: string;
  /** The conversation that names the site; null where the operation itself does. */
  via: string | null;
  relations: Set<Relation>;
}

/** What the executed fields have read. */
export interface Reads {
  sites: SiteRead[];
  conversations: Set<string>;
  health: boolean;
}

export interface World {
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

export const fieldResolver: GraphQLFieldResolver<Source, World, Json> = (source, args, world, info) => {
  const resolve = resolvers[`${info.parentType.name}.${info.fieldName}`];
  const value = (resolve ? resolve(source, args, world) : source[info.fieldName]) ?? null;
  const format = formats[getNamedType(info.returnType).name];
  return format && value !== null && !format.test(String(value))
    ? failure('UPSTREAM_INVALID_RESPONSE')
    : value;
};

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
