import { type ConversationId, type Input, InputError, type SiteId } from '../input.ts';

/** Something that the REST API is asked for with one call, whatever relations that brings. */
export type Resource =
  | { kind: 'site'; id: SiteId }
  | { kind: 'conversation'; id: ConversationId }
  | { kind: 'health' };

/** The arguments of the fields that name resources, as GraphQL has coerced them. */
interface Names {
  id?: string;
  ids?: readonly string[];
}

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** What the arguments of this field name: it is known before the first call. */
    resources?: (names: Names, input: Input) => Resource[];
    /** What this field asks for where only the data tell which. */
    resourceInData?: Resource['kind'];
  }
}

export function sitesNamed(names: Names, input: Input): Resource[] {
  return resourcesNamed(names, input, (id) => ({ kind: 'site', id: input.siteId(id) }));
}

export function conversationsNamed(names: Names, input: Input): Resource[] {
  return resourcesNamed(names, input, (id) => ({ kind: 'conversation', id: input.conversationId(id) }));
}

function resourcesNamed({ id, ids = [] }: Names, input: Input, toResource: (id: string) => Resource) {
  const [texts = []] = valid(() => (id === undefined ? input.idList(ids) : [id]));
  return texts.flatMap((text) => valid(() => toResource(text)));
}

/** Nothing in place of what cannot be asked for: it costs no call. */
function valid<T>(make: () => T): T[] {
  try {
    return [make()];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}
