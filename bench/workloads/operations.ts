import { conversationIdOf, conversationOf, type Length } from '../fixtures/conversations.ts';
import { keyOf, siteIdOf, siteOf } from '../fixtures/sites.ts';

/** An operation of one partner, and the JSON of the right response. */
export interface Operation {
  key: string;
  body: string;
  expected: object;
}

const documents = {
  Clients: `query Clients($id: ID!) {
  site(id: $id) { id address1 city serviceLevel clients { id name emails { value isPrimary } } }
}`,
  Messages: `query Messages($id: ID!) {
  conversationContext(id: $id) { subject status messages { author createdAt text } }
}`,
  Sites: `query Sites($ids: [ID!]!) {
  sites(ids: $ids) { id address1 city serviceLevel }
}`,
};

/** A site with its clients. */
export function readClients(site: number): Operation {
  const clients = siteOf(site, 'clients').clients ?? [];
  const data = {
    site: {
      ...bareSite(site),
      clients: clients.map(({ id, name, emails }) => ({
        id,
        name,
        emails: emails.map(({ value, isPrimary }) => ({ value, isPrimary })),
      })),
    },
  };
  return operation(keyOf(site), 'Clients', { id: siteIdOf(site) }, data);
}

/** Several sites of one partner. */
export function readSites(sites: readonly number[]): Operation {
  const [first = 0] = sites;
  return operation(keyOf(first), 'Sites', { ids: sites.map(siteIdOf) }, { sites: sites.map(bareSite) });
}

/** The messages of a partner's conversation of that length. */
export function readMessages(partner: number, length: Length): Operation {
  const { subject, status, messages } = conversationOf(partner, length);
  const data = {
    conversationContext: {
      subject,
      status,
      messages: messages.map(({ author, createdAt, text }) => ({ author, createdAt, text })),
    },
  };
  return operation(keyOf(partner), 'Messages', { id: conversationIdOf(partner, length) }, data);
}

function bareSite(site: number) {
  const { id, address1, city, serviceLevel } = siteOf(site, '');
  return { id, address1, city, serviceLevel: serviceLevel.toUpperCase().replaceAll(' ', '_') };
}

function operation(
  key: string,
  operationName: keyof typeof documents,
  variables: object,
  data: object,
): Operation {
  const body = JSON.stringify({ operationName, query: documents[operationName], variables });
  return { key, body, expected: { data } };
}

/** The same operation under another name, and so with a document text of its own. */
export function renamed(given: Operation, nth: number): Operation {
  return { ...given, body: given.body.replaceAll('Clients', `Clients${nth}`) };
}
