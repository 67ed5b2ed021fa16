import { type ConversationId, type Input, InputError, type SiteId } from '../input.ts';
import { ignoreRejection, SyncPromise } from '../sync-promise.ts';

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

/** The extension `resources` of a field whose arguments name resources of this kind. */
export function resourcesNamed(kind: 'site' | 'conversation') {
  return ({ id, ids = [] }: Names, input: Input): Resource[] => {
    const [texts = []] = valid(() => (id === undefined ? input.idList(ids) : [id]));
    return texts.flatMap((text) =>
      valid(
        (): Resource =>
          kind === 'site' ? { kind, id: input.siteId(text) } : { kind, id: input.conversationId(text) },
      ),
    );
  };
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

/** Loads each id by itself: one that fails, or cannot be an id, fails alone. */
export function settleEach<T>(ids: readonly string[], load: (id: string) => Promise<T>): Promise<T>[] {
  return ids.map((id) => {
    const loaded = loadOne(id, load);
    // The executor may give up on a list before it looks at its elements.
    ignoreRejection(loaded);
    return loaded;
  });
}

function loadOne<T>(id: string, load: (id: string) => Promise<T>): Promise<T> {
  try {
    return load(id);
  } catch (error) {
    const failed = new SyncPromise<T>();
    failed.reject(error);
    return failed;
  }
}
