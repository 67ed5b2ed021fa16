import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Title } from '../../ui/title.tsx';

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

/** What a conversation is about, and how it stands. */
export function ConversationSummary({ conversation, title }: ConversationSummaryProps) {
  const { status, type, urgency, labels, requester } = readFragment(
    conversationSummaryFragment,
    conversation,
  );
  return (
    <header className="conversation-summary">
      <div>
        <Title heading="h1">{title}</Title>
      </div>
      {labels && labels.length > 0 && (
        <ul className="labels" aria-label="Labels">
          {labels.map((label) => (
            <li key={label}>{label}</li>
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
