import { useSyncExternalStore } from 'react';
import { decodeSegment, type Item } from './id.ts';

/** What the address of the page names. */
export type Route = { page: 'start' } | { page: 'sites' } | Item | { page: 'unknown' };

/** The route of a path. An id is one encoded segment, because it may contain slashes. */
export function routeFrom(path: string): Route {
  if (path === '/') return { page: 'start' };
  if (path === '/sites') return { page: 'sites' };
  const [, page, segment] = /^\/(site|conversation)\/([^/]+)$/.exec(path) ?? [];
  const id = segment === undefined ? undefined : decodeSegment(segment);
  return id !== undefined && (page === 'site' || page === 'conversation')
    ? { page, id }
    : { page: 'unknown' };
}

export const sitePath = (id: string) => `/site/${encodeURIComponent(id)}`;
export const conversationPath = (id: string) => `/conversation/${encodeURIComponent(id)}`;

/** The path of the page of a site or a conversation. */
export const pathOf = ({ page, id }: Item) => (page === 'site' ? sitePath(id) : conversationPath(id));

/** Opens a path without loading the page anew. `mark`: of its entry in the history, for `useMark`. */
export function navigate(path: string, mark?: string): void {
  history.pushState(mark, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Gives the page another address, which takes the place of the present one in the history. */
export function replaceAddress(path: string, mark?: string): void {
  history.replaceState(mark, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The path of the page, also as it changes. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

/** The query of the address, `?ids=…`, also as it changes. */
export function useSearch(): string {
  return useSyncExternalStore(subscribe, () => location.search);
}

/** The mark of the present entry in the history, which no link has. */
export function useMark(): unknown {
  return useSyncExternalStore(subscribe, () => history.state);
}

function subscribe(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  return () => removeEventListener('popstate', onChange);
}
