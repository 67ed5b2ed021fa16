import { useSyncExternalStore } from 'react';

/** What the address of the page names. */
export type Route = { page: 'start' } | { page: 'site' | 'conversation'; id: string } | { page: 'unknown' };

/** The route of a path. An id is one encoded segment, because it may contain slashes. */
export function routeFrom(path: string): Route {
  if (path === '/') return { page: 'start' };
  const [, page, segment] = /^\/(site|conversation)\/([^/]+)$/.exec(path) ?? [];
  const id = segment === undefined ? undefined : decode(segment);
  return id !== undefined && (page === 'site' || page === 'conversation')
    ? { page, id }
    : { page: 'unknown' };
}

export const sitePath = (id: string) => `/site/${encodeURIComponent(id)}`;
export const conversationPath = (id: string) => `/conversation/${encodeURIComponent(id)}`;

/** The page of an id: conversations have a UUID, sites a prefix. */
export function pathFor(id: string): string {
  const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
  return isUuid ? conversationPath(id.toLowerCase()) : sitePath(id);
}

/** Opens a path without loading the page anew. */
export function navigate(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The path of the page, also as it changes. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

function subscribe(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  return () => removeEventListener('popstate', onChange);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
