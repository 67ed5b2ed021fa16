import type { IssuedKey, KeyFacts, LinkFacts } from './admin.ts';

/** The columns of `list`. Times are ISO 8601, to the second. */
const columns: [heading: string, cell: (key: KeyFacts, now: Date) => string][] = [
  ['NAME', (key) => key.name],
  ['PARTNER', (key) => key.partner_id],
  ['ENVIRONMENT', (key) => key.environment],
  ['STATE', stateOf],
  ['SCOPES', scopesOf],
  ['LAST USED', (key) => toSecond(key.last_used_at)],
  ['EXPIRES', (key) => toSecond(key.expires_at)],
  ['CONTACT', (key) => key.contact],
  ['DESCRIPTION', (key) => key.description],
];

/** A table with one line per key. */
export function tableFromKeys(keys: readonly KeyFacts[], now: Date): string {
  if (keys.length === 0) return 'no keys';
  const rows = [
    columns.map(([heading]) => heading),
    ...keys.map((key) => columns.map(([, cell]) => cell(key, now))),
  ];
  const widths = columns.map((_, n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  const toLine = (row: string[]) => row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ');
  return rows.map((row) => toLine(row).trimEnd()).join('\n');
}

/** The same facts, for `--json`. */
export function recordFromKey(key: KeyFacts, now: Date) {
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
  };
}

/** One fact per line, then the links to the key. */
export function detailsFromKey(key: KeyFacts, links: readonly LinkFacts[], now: Date): string {
  const facts: [string, string][] = [
    ['name', key.name],
    ['partner', key.partner_id],
    ['environment', key.environment],
    ['state', stateOf(key, now)],
    ['description', key.description],
    ['contact', key.contact],
    ['scopes', scopesOf(key)],
    ['created', toSecond(key.created_at)],
    ['last used', toSecond(key.last_used_at)],
    ['expires', toSecond(key.expires_at)],
    ['revoked', toSecond(key.revoked_at)],
    ...links.map((link): [string, string] => ['link', stateOfLink(link)]),
  ];
  return facts.map(([name, value]) => `${name.padEnd(13)}${value}`).join('\n');
}

/** The output of `issue` and `rotate`. The link is the only secret in it. */
export function issuedMessage({ key, linkExpiresAt }: IssuedKey, link: string): string {
  return [
    `Key ${key.name}… of ${key.partner_id} (${key.environment}: ${scopesOf(key)}) is issued.`,
    `Send this link to ${key.contact}. It shows the key once, until ${toSecond(linkExpiresAt)}:`,
    '',
    link,
  ].join('\n');
}

function stateOf(key: KeyFacts, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && key.expires_at <= now.toISOString() ? 'expired' : 'active';
}

function stateOfLink({ opened_at, expires_at, isOpen }: LinkFacts): string {
  if (opened_at !== null) return `opened ${toSecond(opened_at)}`;
  return isOpen ? `open until ${toSecond(expires_at)}` : 'closed, never opened';
}

function scopesOf(key: KeyFacts): string {
  return key.scopes === '' ? '-' : key.scopes.replaceAll(' ', ',');
}

function toSecond(time: string | null): string {
  return time === null ? '-' : `${time.slice(0, 19)}Z`;
}
