import {
  healthDocument,
  type Json,
  conversations as plainConversations,
  sites as plainSites,
} from '../../support/documents.ts';
import { bareSite } from '../../support/upstream.ts';

/** `Health.body` may be any JSON, which is passed on. */
export const healthBodies: Record<string, string> = {
  empty: '',
  nothing: 'null',
  text: '"up \\u2028 \\ud800 \\"quoted\\""',
  big: '123456789012345678901234567890',
  list: '[null,1,[],{},[[["x"]]],-0,1e400]',
  numbered: '{"b":1,"10":2,"2":3,"a":4,"-1":5,"01":6}',
  proto: '{"__proto__":{"a":1},"constructor":2,"toString":3,"toJSON":4,"hasOwnProperty":null,"then":5}',
  twice: '{"a":1,"a":2,"":0}',
  deep: `${'['.repeat(90)}${']'.repeat(90)}`,
  deeper: `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
  broken: '{"a":',
};

const siteTexts = new Map([...plainSites].map(([id, site]) => [id, JSON.stringify(site)]));

/** The text of a site; ids of the form `SITE-m…` are all there. */
export function siteText(id: string): string | undefined {
  return (
    siteTexts.get(id) ??
    (/^SITE-m\d+$/.test(id) ? JSON.stringify({ ...bareSite(id), clients: [], projects: null }) : undefined)
  );
}

export const conversationId = (end: string): string => `5f0c2a9e-3b1d-4c5a-9e7f-00000000${end}`;

const mention = (id: unknown): Json => ({
  id,
  address: `at ${id}`,
  associatedConversations: [{ friendlyId: 'C' }],
});

const oddConversations: Record<string, Json> = {
  // As many sites as cost more than an operation may.
  a001: { subject: 'many', sites: Array.from({ length: 60 }, (_, n) => mention(`SITE-m${n}`)) },
  a002: {
    subject: 'few',
    sites: ['SITE-s500', null, 'SITE-m1', 7, '', 'HOUSE-1', 'SITE-..', 'SITE-m1', 'SITE-s404'].map(mention),
  },
  a007: {
    messages: Array.from({ length: 12 }, (_, n) => ({
      text: `no. ${n}`,
      isInternal: [true, false, null][n % 3],
    })),
  },
  a008: { subject: 'forbidden', sites: ['SITE-s403', 'SITE-s403b'].map(mention) },
  a009: { subject: 'same', sites: ['SITE-1', 'SITE-1', 'SITE-2', 'SITE-1'].map(mention) },
};

const conversationTexts = new Map([
  ...[...plainConversations].map(([id, json]) => [id, JSON.stringify(json)] as const),
  ...Object.entries(oddConversations).map(
    ([end, json]) => [conversationId(end), JSON.stringify(json)] as const,
  ),
]);

export const conversationText = (id: string): string | undefined => conversationTexts.get(id);

/** By the caller's key: `mood-big-…` gets the text of `healthBodies` for `big`. */
export const healthText = (mood: string | undefined): string =>
  healthBodies[mood ?? ''] ?? JSON.stringify(healthDocument);
