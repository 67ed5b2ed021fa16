import { conversationOf } from '../fixtures/conversations.ts';
import { siteOf } from '../fixtures/sites.ts';

/** How a schema spells a service level. */
type Level = (label: string) => string;

/** The fields of a bare site that operations select. */
export function expectedSite(site: number, level: Level) {
  const { id, address1, city, serviceLevel } = siteOf(site, '');
  return { id, address1, city, serviceLevel: level(serviceLevel) };
}

/** The fields of a site and its clients that operations select. */
export function expectedClients(site: number, level: Level) {
  const clients = siteOf(site, 'clients').clients ?? [];
  return {
    ...expectedSite(site, level),
    clients: clients.map(({ id, name, emails }) => ({
      id,
      name,
      emails: emails.map(({ value, isPrimary }) => ({ value, isPrimary })),
    })),
  };
}

/** The fields of a conversation that operations select. */
export function expectedConversation(conversation: number) {
  const { subject, status, messages } = conversationOf(conversation);
  return {
    subject,
    status,
    messages: messages.map(({ author, createdAt, text }) => ({ author, createdAt, text })),
  };
}

/** The same with the fields of its sites. */
export function expectedDashboard(partner: number, sites: readonly number[], level: Level) {
  const { sites: mentions } = conversationOf(partner);
  return {
    ...expectedConversation(partner),
    sites: mentions.map(({ address, serviceLevel }, nth) => ({
      address,
      serviceLevel,
      site: expectedFullSite(sites[nth] ?? 0, level),
    })),
  };
}

function expectedFullSite(site: number, level: Level) {
  const projects = siteOf(site, 'projects').projects ?? [];
  return {
    ...expectedClients(site, level),
    projects: projects.map(({ id, name, stage }) => ({ id, name, stage })),
  };
}
