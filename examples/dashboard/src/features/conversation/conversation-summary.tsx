import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { Fact, Facts } from '../../ui/facts.tsx';

const conversationSummaryFragment = graphql(`
  fragment ConversationSummary on ConversationContext {
    id
    status
    type
    urgency
    labels
    requester
  }
`);

interface ConversationSummaryProps {
  conversation: FragmentType<typeof conversationSummaryFragment>;
  title: string;
}

/** The subject and the state of a conversation. */
export function ConversationSummary({ conversation, title }: ConversationSummaryProps) {
  const { status, type, urgency, labels, requester } = readFragment(
    conversationSummaryFragment,
    conversation,
  );
  return (
    <header className="conversation-summary stack">
      <h1 dir="auto">{title}</h1>
      {labels && labels.length > 0 && (
        <ul className="row" aria-label="Labels">
          {labels.map((label) => (
            <li key={label} className="badge badge-off">
              {label}
            </li>
          ))}
        </ul>
      )}
      <Facts>
        <Fact term="Status">{status}</Fact>
        <Fact term="Urgency">{urgency}</Fact>
        <Fact term="Kind">{type}</Fact>
        <Fact term="Requested by">{requester}</Fact>
      </Facts>
    </header>
  );
}
