import { useSyncExternalStore } from 'react';
import { decode, type Item, itemOf } from './id.ts';

/** The view that the address of the page names. */
export type Route = { page: 'start' } | { page: 'sites' } | Item | { page: 'unknown' };

/** The route of a path. An id is one encoded segment, because it may contain slashes, and is read as the form reads it. */
export function routeFrom(path: string): Route {
  if (path === '/') return { page: 'start' };
  if (path === '/sites') return { page: 'sites' };
  const [, page, segment = ''] = /^\/(site|conversation)\/([^/]+)$/.exec(path) ?? [];
  if (page !== 'site' && page !== 'conversation') return { page: 'unknown' };
  const id = decode(segment);
  const item = itemOf(id);
  return item?.page === page ? item : { page, id };
}

export const sitePath = (id: string) => `/site/${encodeURIComponent(id)}`;
export const conversationPath = (id: string) => `/conversation/${encodeURIComponent(id)}`;

/** The path of the page of a site or a conversation. */
export const pathOf = ({ page, id }: Item) => (page === 'site' ? sitePath(id) : conversationPath(id));

/** Opens a path without loading the page anew. */
export function navigate(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** A part of the page's address, also as it changes. */
export const useAddress = (part: 'pathname' | 'search' | 'hash') =>
  useSyncExternalStore(subscribe, () => location[part]);

function subscribe(onChange: () => void): () => void {
  const events = ['popstate', 'hashchange'];
  for (const event of events) addEventListener(event, onChange);
  return () => {
    for (const event of events) removeEventListener(event, onChange);
  };
}
