import { cacheExchange } from '@urql/exchange-graphcache';
import { persistedExchange } from '@urql/exchange-persisted';
import { Client, fetchExchange } from 'urql';
import { accessExchange } from './access.ts';
import { lacksManifest, manifestExchange } from './manifest.ts';
import { reportStore } from './report-store.ts';

/** What has no id of its own is stored as a part of its parent. */
const embedded = () => null;
/** The REST API may leave these ids out. */
const byId = ({ id }: { id?: unknown }) => (typeof id === 'string' ? id : null);

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
          // Without a schema the cache takes a list for unread of which one element failed.
          sites(_parent, args, cache) {
            const links = cache.resolve('Query', 'sites', args);
            return Array.isArray(links) ? links.map((link) => link ?? null) : links;
          },
        },
      },
    }),
    reportStore.exchange,
    accessExchange,
    // Sends ids of the manifest, and texts to a gateway that does not have it.
    persistedExchange({
      preferGetForPersistedQueries: false,
      generateHash: async (_text, document) => (lacksManifest() ? '' : hashOf(document)),
    }),
    manifestExchange,
    fetchExchange,
  ],
});

/** The id of a generated document. */
export function hashOf(document: object): string {
  const { hash } = '__meta__' in document ? (document.__meta__ as { hash?: string }) : {};
  if (hash === undefined) throw new Error('Run `npm run codegen`: a document has no id.');
  return hash;
}
