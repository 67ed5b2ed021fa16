import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { MailLink, PhoneLink } from '../../ui/contact-links.tsx';
import { Empty, Section } from '../../ui/section.tsx';

const participantListFragment = graphql(`
  fragment ParticipantList on ConversationContext {
    id
    participants {
      agents
      clients {
        name
        primaryEmail
        primaryPhoneNumber
      }
    }
  }
`);

/** Who takes part: clients with the ways to reach them, and the provider's people. */
export function ParticipantList({
  conversation,
}: {
  conversation: FragmentType<typeof participantListFragment>;
}) {
  const { participants } = readFragment(participantListFragment, conversation);
  const clients = participants?.clients ?? [];
  const agents = participants?.agents ?? [];
  const isStated = Boolean(participants?.clients || participants?.agents);
  return (
    <Section
      title="Participants"
      count={isStated ? clients.length + agents.length : undefined}
      className="conversation-participants"
    >
      {clients.length + agents.length === 0 && (
        <Empty>{isStated ? 'No participants are named.' : 'Participants: nothing was sent.'}</Empty>
      )}
      <ul className="participants">
        {clients.map(({ name, primaryEmail, primaryPhoneNumber }, index) => (
          <li key={index}>
            <Avatar name={name || '?'} />
            <div>
              <strong>{name || 'Without a name'}</strong> <span className="role">client</span>
              {primaryEmail && (
                <p>
                  <MailLink address={primaryEmail} />
                </p>
              )}
              {primaryPhoneNumber && (
                <p>
                  <PhoneLink number={primaryPhoneNumber} />
                </p>
              )}
            </div>
          </li>
        ))}
        {agents.map((agent) => (
          <li key={`agent ${agent}`}>
            <Avatar name={agent} />
            <p>
              <strong>{agent}</strong> <span className="role">agent</span>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
