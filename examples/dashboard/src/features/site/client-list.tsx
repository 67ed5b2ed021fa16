import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { MailLink, PhoneLink } from '../../ui/contact-links.tsx';
import { compact } from '../../ui/format.ts';
import { Empty } from '../../ui/section.tsx';

const clientCardFragment = graphql(`
  fragment ClientCard on Client {
    id
    name
    firstName
    lastName
    partnerName
    isPrimary
    marketingOptOut
    emails {
      id
      value
      label
    }
    phoneNumbers {
      id
      value
      ext
      label
    }
  }
`);

type ClientRef = FragmentType<typeof clientCardFragment> & { id: string | null };

/** The clients of a site, each with the ways to reach them. */
export function ClientList({ clients }: { clients: readonly ClientRef[] }) {
  if (clients.length === 0) return <Empty>No clients belong to this site.</Empty>;
  return (
    <ul className="client-list">
      {clients.map((item, index) => (
        <li key={index}>
          <ClientCard client={item} />
        </li>
      ))}
    </ul>
  );
}

function ClientCard({ client }: { client: ClientRef }) {
  const card = readFragment(clientCardFragment, client);
  const name = card.name || compact([card.firstName, card.lastName]).join(' ');
  const notes = compact([card.partnerName, card.marketingOptOut ? 'No marketing messages' : null]);
  return (
    <article className="client-card">
      <Avatar name={name || '?'} />
      <div>
        <h3>
          {name || 'Without a name'} {card.isPrimary && <span className="badge badge-on">Primary</span>}
        </h3>
        {notes.length > 0 && <p className="client-notes">{notes.join(' · ')}</p>}
        {!card.emails && !card.phoneNumbers && <p className="absent">Contact details not stated</p>}
        <ul className="contacts">
          {card.emails?.map(({ id, value, label }) =>
            value ? (
              <li key={id ?? value}>
                <MailLink address={value} /> {label && <span className="role">{label}</span>}
              </li>
            ) : null,
          )}
          {card.phoneNumbers?.map(({ id, value, ext, label }) =>
            value ? (
              <li key={id ?? value}>
                <PhoneLink number={value} ext={ext} /> {label && <span className="role">{label}</span>}
              </li>
            ) : null,
          )}
        </ul>
      </div>
    </article>
  );
}
