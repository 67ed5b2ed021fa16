import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange } from 'urql';
import type { UpstreamCall } from './report.ts';

/** An object without an id of its own is stored as a part of its parent. */
const embedded = () => null;
/** The REST API may leave these ids out. */
const byId = ({ id }: { id?: unknown }) => (typeof id === 'string' ? id : null);

/** The REST calls that the parts of a response have listed so far: each part lists those since the part before. */
const calls = new WeakMap<object, UpstreamCall[]>();

/** Sends operations to the backend of this page, which adds the API key. */
export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  fetchOptions: { headers: { 'x-explain': 'report' } },
  exchanges: [
    cacheExchange({
      keys: {
        AccountManager: byId,
        AssociatedConversation: embedded,
        Attachment: embedded,
        Client: byId,
        // Its id is that of the site, of which other conversations say something else.
        ConversationSite: embedded,
        Email: embedded,
        Message: embedded,
        ParticipantClient: embedded,
        Participants: embedded,
        PhoneNumber: embedded,
        Project: byId,
      },
      resolvers: {
        Query: {
          // A list that was not read yet may have only sites that were read before, in other lists.
          sites(_parent, args, cache) {
            const links = cache.resolve('Query', 'sites', args);
            // Without a schema the cache takes a list for unread of which one element failed.
            if (Array.isArray(links)) return links.map((link) => link ?? null);
            return (args.ids as string[]).map((id) => ({ __typename: 'Site', id }));
          },
        },
      },
    }),
    mapExchange({
      onOperation: (operation) => ({
        ...operation,
        extensions: { ...operation.extensions, ...idIn(operation.query) },
      }),
      onResult(result) {
        const { upstream } = result.extensions ?? {};
        if (!upstream) return;
        const all = [...(calls.get(result.operation) ?? []), ...upstream.calls];
        calls.set(result.operation, all);
        return { ...result, extensions: { ...result.extensions, upstream: { ...upstream, calls: all } } };
      },
    }),
    fetchExchange,
  ],
});

/** The page is built with VITE_TRUSTED_DOCUMENTS=on for a gateway that has its manifest: then it sends ids, and no texts. */
const sendsIds = import.meta.env.VITE_TRUSTED_DOCUMENTS === 'on';

/** The extension that has the id of a generated document in place of its text, if the page sends ids. */
export function idIn(document: object): { persistedQuery?: { version: 1; sha256Hash: string } } {
  if (!sendsIds) return {};
  const { hash } = '__meta__' in document ? (document.__meta__ as { hash?: string }) : {};
  if (hash === undefined) throw new Error('Run `npm run codegen`: a document has no id.');
  return { persistedQuery: { version: 1, sha256Hash: hash } };
}
