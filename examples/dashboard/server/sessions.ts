import { randomBytes } from 'node:crypto';

/** Eight hours since the last request. */
const LIFETIME_MS = 8 * 60 * 60 * 1000;
/** Beyond it the session that was idle longest ends. */
const MAX_SESSIONS = 10_000;

export interface Sessions {
  /** Keeps the key, and returns the id of its session: 256 random bits. */
  create(apiKey: string): string;
  /** The key of a session, which lives on from now; undefined where there is none. */
  keyOf(id: string | undefined): string | undefined;
}

/** Sessions in the memory of this process. Behind a load balancer keep them in a store that all processes share. */
export function createSessions({ lifetimeMs = LIFETIME_MS, max = MAX_SESSIONS } = {}): Sessions {
  // In the order of their last use, so that the first one is the one to end.
  const sessions = new Map<string, { apiKey: string; expiresAt: number }>();

  function store(id: string, apiKey: string): void {
    sessions.delete(id);
    sessions.set(id, { apiKey, expiresAt: Date.now() + lifetimeMs });
    for (const [oldest, { expiresAt }] of sessions) {
      if (sessions.size <= max && expiresAt > Date.now()) break;
      sessions.delete(oldest);
    }
  }

  return {
    create(apiKey) {
      const id = randomBytes(32).toString('base64url');
      store(id, apiKey);
      return id;
    },
    keyOf(id) {
      const session = id === undefined ? undefined : sessions.get(id);
      if (id === undefined || !session || session.expiresAt <= Date.now()) return undefined;
      store(id, session.apiKey);
      return session.apiKey;
    },
  };
}
