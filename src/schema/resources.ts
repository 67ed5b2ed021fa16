import { type ConversationId, type Input, InputError, type SiteId } from '../input.ts';

/** What one REST call fetches, with any relations. */
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
    /** The kind of resource that this field loads by an id from the data. */
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

/** Leaves out an invalid id: it costs no call. */
function valid<T>(make: () => T): T[] {
  try {
    return [make()];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}
