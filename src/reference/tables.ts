/** The database. Moments are ISO 8601 text in UTC, so that text order is time order on every engine. */
export interface Tables {
  steps: StepRow;
  keys: KeyRow;
  links: LinkRow;
  sites: SiteRow;
  conversations: ConversationRow;
}

export type Environment = 'test' | 'production';

/** A migration that this database has been through. */
interface StepRow {
  name: string;
  done_at: string;
}

export interface KeyRow {
  /** SHA-256 of the whole key, in hex; the key itself is stored nowhere. */
  digest: string;
  /** The key's first eight characters: its public name, which revocation goes by (section 5.10). */
  name: string;
  partner_id: string;
  environment: Environment;
  description: string;
  contact: string;
  /** Words with one blank between them. */
  scopes: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** A one-time link to a key (section 5.8). Without its token, which is stored nowhere, it opens nothing. */
export interface LinkRow {
  /** SHA-256 of the token, in hex. */
  digest: string;
  key_name: string;
  /** The key, encrypted under the token; null once it was shown, has expired or was revoked. */
  sealed: string | null;
  created_at: string;
  expires_at: string;
  opened_at: string | null;
}

/** A site in three JSON texts, so that an answer is spliced from them and never parsed. */
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
