import type { ConversationContext } from '../contract.ts';
import type { Tables } from '../database/tables.ts';
import type { Dialogue } from './conversations/dialogues.ts';
import type { DemoSite } from './sites/sites.ts';

/** The demo data of one partner. */
export interface PartnerData {
  partnerId: string;
  sites: readonly DemoSite[];
  conversations: readonly DemoConversation[];
}

export interface DemoConversation {
  id: string;
  context: ConversationContext;
}

export function rowFromSite(partner_id: string, { site, clients, projects }: DemoSite): Tables['sites'] {
  return {
    partner_id,
    id: site.id,
    site: JSON.stringify(site),
    clients: JSON.stringify(clients),
    projects: JSON.stringify(projects),
  };
}

export function rowFromConversation(
  partner_id: string,
  { id, context }: DemoConversation,
): Tables['conversations'] {
  return { partner_id, id, context: JSON.stringify(context) };
}

/** `count` ids with the prefix and consecutive numbers. */
export function numberedIds(siteIdPrefix: string, first: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${siteIdPrefix}-${first + n}`);
}

/** `count` sites from the n-th on, starting with one of the right kind that has a client. */
export function sitesFor(
  { place }: Dialogue,
  sites: readonly DemoSite[],
  n: number,
  count: number,
): DemoSite[] {
  const round = [...sites.slice(n % sites.length), ...sites.slice(0, n % sites.length)];
  const start = round.findIndex(({ site, clients }) => {
    const isRightPlace = place === undefined || (place === 'office') === (site.businessName !== undefined);
    return isRightPlace && clients.length > 0;
  });
  return [...round.slice(start), ...round.slice(0, start)].slice(0, count);
}
