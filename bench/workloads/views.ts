import { conversationOf } from '../fixtures/conversations.ts';
import { siteOf } from '../fixtures/sites.ts';

/** How a schema writes a service level. */
type Level = (label: string) => string;

/** What an operation selects of a bare site. */
export function siteView(site: number, level: Level) {
  const { id, address1, city, serviceLevel } = siteOf(site, '');
  return { id, address1, city, serviceLevel: level(serviceLevel) };
}

/** What an operation selects of a site and its clients. */
export function clientsView(site: number, level: Level) {
  const clients = siteOf(site, 'clients').clients ?? [];
  return {
    ...siteView(site, level),
    clients: clients.map(({ id, name, emails }) => ({
      id,
      name,
      emails: emails.map(({ value, isPrimary }) => ({ value, isPrimary })),
    })),
  };
}

/** What an operation selects of a conversation and its sites. */
export function dashboardView(partner: number, sites: readonly number[], level: Level) {
  const { subject, status, messages, sites: mentions } = conversationOf(partner);
  return {
    subject,
    status,
    messages: messages.map(({ author, createdAt, text }) => ({ author, createdAt, text })),
    sites: mentions.map(({ address, serviceLevel }, nth) => ({
      address,
      serviceLevel,
      site: fullView(sites[nth] ?? 0, level),
    })),
  };
}

function fullView(site: number, level: Level) {
  const projects = siteOf(site, 'projects').projects ?? [];
  return {
    ...clientsView(site, level),
    projects: projects.map(({ id, name, stage }) => ({ id, name, stage })),
  };
}
