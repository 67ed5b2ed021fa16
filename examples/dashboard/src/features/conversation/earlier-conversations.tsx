import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { compact, formatCount, formatDay } from '../../ui/format.ts';

const earlierConversationFragment = graphql(`
  fragment EarlierConversation on AssociatedConversation {
    friendlyId
    subject
    status
    statusLastUpdatedAt
    shortSummary
    issue
    resolution
  }
`);

/** The earlier conversations about a site, folded. They cannot be opened: the REST API sends no id of theirs. */
export function EarlierConversations({
  conversations,
}: {
  conversations: readonly FragmentType<typeof earlierConversationFragment>[] | null;
}) {
  if (!conversations) return <p className="earlier-none">Earlier conversations not stated</p>;
  if (conversations.length === 0) return <p className="earlier-none">No earlier conversations</p>;
  const earlier = conversations.map((conversation) =>
    readFragment(earlierConversationFragment, conversation),
  );
  return (
    <details className="earlier">
      <summary>{formatCount(conversations.length, 'earlier conversation')}</summary>
      <ol>
        {earlier.map((item, index) => (
          <li key={index}>
            <h4 dir="auto">{item.subject || item.friendlyId || 'Without a subject'}</h4>
            <p className="earlier-meta">
              {compact([item.friendlyId, item.status, formatDay(item.statusLastUpdatedAt)]).join(' · ')}
            </p>
            <p>{compact([item.issue, item.resolution]).join(' ') || item.shortSummary}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}
