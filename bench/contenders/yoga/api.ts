import DataLoader from 'dataloader';
import type { conversationOf } from '../../fixtures/conversations.ts';
import type { siteOf } from '../../fixtures/sites.ts';
import { get as getByDispatch } from '../rest-client.ts';

export type Site = ReturnType<typeof siteOf>;
export type Conversation = ReturnType<typeof conversationOf>;

/** The data source of the resolvers: one loader for the sites of each request. */
export interface Api {
  sites: DataLoader<SiteKey, Site, string>;
  conversation(id: string): Promise<Conversation>;
}

interface SiteKey {
  id: string;
  include: string;
}

/** Creates the data source of one request. */
export function createApi(url: string, key: string): Api {
  async function get<T>(path: string): Promise<T> {
    if (process.env.DISPATCH) return getByDispatch<T>(path, key);
    const response = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
    if (!response.ok) throw new Error(`the REST API responded with ${response.status}`);
    return (await response.json()) as T;
  }

  const getSite = ({ id, include }: SiteKey) =>
    get<Site>(`/v1/site/${encodeURIComponent(id)}${include && `?include=${include}`}`);

  return {
    sites: new DataLoader((keys) => Promise.all(keys.map(getSite)), {
      cacheKeyFn: ({ id, include }) => `${id} ${include}`,
    }),
    conversation: (id) => get(`/v1/conversation/${encodeURIComponent(id)}/context`),
  };
}
