import type { IssuedKey, ListedKey } from './admin.ts';

/** A key as `list` prints it. */
export function recordFromKey({ key, links }: ListedKey, now: Date) {
  return {
    name: key.name,
    partner: key.partner_id,
    environment: key.environment,
    state: stateOf(key, now),
    description: key.description,
    contact: key.contact,
    scopes: key.scopes.split(' ').filter((scope) => scope !== ''),
    createdAt: key.created_at,
    lastUsedAt: key.last_used_at,
    expiresAt: key.expires_at,
    revokedAt: key.revoked_at,
    links: links.map(({ created_at, expires_at, opened_at }) => ({
      createdAt: created_at,
      expiresAt: expires_at,
      openedAt: opened_at,
    })),
  };
}

/** The output of `issue` and `rotate`. The link is the only secret in it. */
export function issuedMessage({ key, linkExpiresAt }: IssuedKey, link: string): string {
  return [
    `Key ${key.name}… of ${key.partner_id} (${key.environment}: ${key.scopes.replaceAll(' ', ',')}) is issued.`,
    `Send this link to ${key.contact}. It shows the key once, until ${linkExpiresAt}:`,
    '',
    link,
  ].join('\n');
}

function stateOf({ revoked_at, expires_at }: ListedKey['key'], now: Date): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now.toISOString() ? 'expired' : 'active';
}
