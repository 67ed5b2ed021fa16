import type { Kysely } from 'kysely';

export type ReferenceDatabase = Kysely<Tables>;

/** Times are ISO 8601 text in UTC, so that they sort as text on every engine. */
export interface Tables {
  steps: StepRow;
  keys: KeyRow;
  links: LinkRow;
  sites: SiteRow;
  conversations: ConversationRow;
}

export type Environment = 'test' | 'production';

/** A migration that this database has. */
interface StepRow {
  name: string;
  done_at: string;
}

export interface KeyRow {
  /** SHA-256 of the whole key, in hex; the key itself is not stored. */
  digest: string;
  /** The key's first eight characters, its public name (section 5.10). */
  name: string;
  partner_id: string;
  environment: Environment;
  description: string;
  contact: string;
  /** Separated by single spaces. */
  scopes: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** Requests per window; null: as many as REFERENCE_RATE_LIMIT. */
  rate_limit: number | null;
}

/** A one-time link to a key (section 5.8). Its token is not stored. */
export interface LinkRow {
  /** SHA-256 of the token, in hex. */
  digest: string;
  key_name: string;
  /** The key, encrypted with the token; null once it was shown, has expired or was revoked. */
  sealed: string | null;
  created_at: string;
  expires_at: string;
  opened_at: string | null;
}

/** A site as three JSON texts, which a response concatenates without parsing them. */
interface SiteRow {
  partner_id: string;
  id: string;
  /** The object of section 2.1 without its relations. */
  site: string;
  clients: string;
  projects: string;
}

interface ConversationRow {
  partner_id: string;
  /** The UUID in lower case. */
  id: string;
  context: string;
}
