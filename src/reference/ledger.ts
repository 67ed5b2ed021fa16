import type { IssuedKey, KeyFacts, LinkFacts } from './support.ts';

/** What the desk prints. Times in ISO 8601, to the second. */

type State = 'living' | 'expired' | 'revoked';

/** Columns under a heading, one key a line; a word where there are none. */
export function tableFromKeys(keys: readonly KeyFacts[], now: Date): string {
  if (keys.length === 0) return 'no keys';
  const head = [
    'NAME',
    'PARTNER',
    'ENVIRONMENT',
    'STATE',
    'SCOPES',
    'LAST USED',
    'EXPIRES',
    'CONTACT',
    'DESCRIPTION',
  ];
  const rows = keys.map((key) => [
    key.name,
    key.partner_id,
    key.environment,
    stateFromKey(key, now),
    wordsFromScopes(key),
    toSecond(key.last_used_at),
    toSecond(key.expires_at),
    key.contact,
    key.description,
  ]);
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => row[n]?.length ?? 0)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The same facts for programs. */
export function recordFromKey(key: KeyFacts, now: Date) {
  return {
    name: key.name,
    partner: key.partner_id,
    environment: key.environment,
    state: stateFromKey(key, now),
    description: key.description,
    contact: key.contact,
    scopes: key.scopes.split(' ').filter((scope) => scope !== ''),
    createdAt: key.created_at,
    lastUsedAt: key.last_used_at,
    expiresAt: key.expires_at,
    revokedAt: key.revoked_at,
  };
}

/** One fact a line, and after them the links that led to the key. */
export function linesFromKey(key: KeyFacts, links: readonly LinkFacts[], now: Date): string {
  const facts: [string, string][] = [
    ['name', key.name],
    ['partner', key.partner_id],
    ['environment', key.environment],
    ['state', stateFromKey(key, now)],
    ['description', key.description],
    ['contact', key.contact],
    ['scopes', wordsFromScopes(key)],
    ['created', toSecond(key.created_at)],
    ['last used', toSecond(key.last_used_at)],
    ['expires', toSecond(key.expires_at)],
    ['revoked', toSecond(key.revoked_at)],
    ...links.map((link): [string, string] => ['link', wordsFromLink(link)]),
  ];
  return facts.map(([name, value]) => `${name.padEnd(13)}${value}`).join('\n');
}

/** What goes to whoever asked for the key. The link is the only secret in it. */
export function linesFromIssued({ key, linkExpiresAt }: IssuedKey, link: string): string {
  return [
    `Key ${key.name}… of ${key.partner_id} (${key.environment}: ${wordsFromScopes(key)}) is issued.`,
    `Send this link to ${key.contact}. It shows the key once, until ${toSecond(linkExpiresAt)}:`,
    '',
    link,
  ].join('\n');
}

function stateFromKey(key: KeyFacts, now: Date): State {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && key.expires_at <= now.toISOString() ? 'expired' : 'living';
}

function wordsFromLink({ opened_at, expires_at, isOpen }: LinkFacts): string {
  if (opened_at !== null) return `opened ${toSecond(opened_at)}`;
  return isOpen ? `waits until ${toSecond(expires_at)}` : 'closed, never opened';
}

function wordsFromScopes(key: KeyFacts): string {
  return key.scopes === '' ? '-' : key.scopes.replaceAll(' ', ',');
}

function toSecond(moment: string | null): string {
  return moment === null ? '-' : `${moment.slice(0, 19)}Z`;
}
