import { SyncPromise } from '../rest/sync-promise.ts';
import { type ConversationId, type Input, InputError, type SiteId } from './input.ts';

export type Resource =
  | { kind: 'site'; id: SiteId }
  | { kind: 'conversation'; id: ConversationId }
  | { kind: 'health' };

export const typeNames = {
  site: 'Site',
  conversation: 'ConversationContext',
  health: 'Health',
} as const satisfies Record<Resource['kind'], string>;

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Loads the resource that the arguments name, which is known before the first call. */
    resources?(names: object, input: Input): Resource[];
    /** The kind of resource that this field loads by an id from the data. */
    resourceInData?: Resource['kind'];
    /** A query alone can read this field: `live` cannot. */
    unpolled?: true;
  }
}

/** The extension `resources` of a field whose arguments name resources of this kind. */
export function resourcesNamed(kind: NamedResource['kind']) {
  return ({ id, ids = [] }: { id?: string; ids?: readonly string[] }, input: Input): Resource[] =>
    resourcesIn(id === undefined ? ids : [id], (text) => resourceOf(kind, text, input), input);
}

/** The resources that the valid names of a list stand for; none for a list that is too long. */
export function resourcesIn<T>(names: readonly T[], read: (name: T) => Resource, input: Input): Resource[] {
  const [list = []] = valid(() => input.idList(names));
  return list.flatMap((name) => valid(() => read(name)));
}

export type NamedResource = Exclude<Resource, { kind: 'health' }>;

/** @throws InputError if the id is not valid */
export function resourceOf(kind: NamedResource['kind'], id: string, input: Input): NamedResource {
  return kind === 'site' ? { kind, id: input.siteId(id) } : { kind, id: input.conversationId(id) };
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

/** Loads by each id on its own: one that fails, or cannot be an id, fails alone. */
export function settleEach<I, T>(ids: readonly I[], load: (id: I) => Promise<T>): Promise<T>[] {
  return ids.map((id) => {
    try {
      const loaded = load(id);
      // The executor may give up on a list before it looks at its elements: no rejection is reported.
      if (!(loaded instanceof SyncPromise)) loaded.catch(() => {});
      return loaded;
    } catch (error) {
      const failed = new SyncPromise<T>();
      failed.reject(error);
      return failed;
    }
  });
}
