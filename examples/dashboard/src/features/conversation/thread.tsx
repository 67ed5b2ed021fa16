import { useState } from 'react';
import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import type { ThreadMessageFragment } from '../../generated/graphql.ts';
import { keyed } from '../../ui/keyed.ts';
import { Empty, Section } from '../../ui/section.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { ThreadMessage } from './thread-message.tsx';

const threadMessageFragment = graphql(`
  fragment ThreadMessage on Message {
    createdAt
    author
    role
    text
    rawBody
    isInternal
    attachments {
      type
      title
      content
      transcriptionId
    }
  }
`);

const filters: { name: string; includes(message: ThreadMessageFragment): boolean }[] = [
  { name: 'All', includes: () => true },
  { name: 'Public', includes: ({ isInternal }) => isInternal === false },
  { name: 'Internal', includes: ({ isInternal }) => isInternal === true },
];

/** The messages of a conversation, all or only those of one kind. They are all loaded, so that a filter costs nothing. */
export function Thread({ messages }: { messages: readonly FragmentType<typeof threadMessageFragment>[] }) {
  const [filter, setFilter] = useState(filters[0]);
  const all = messages.map((message) => readFragment(threadMessageFragment, message));
  const shown = filter ? all.filter(filter.includes) : all;
  return (
    <Section
      title="Messages"
      count={all.length}
      aside={
        <fieldset className="filter">
          <legend className="visually-hidden">Show messages</legend>
          {filters.map((choice) => (
            <label key={choice.name}>
              <input
                type="radio"
                name="messages"
                checked={choice === filter}
                onChange={() => setFilter(choice)}
              />
              <span>
                {choice.name} <span className="count">{all.filter(choice.includes).length}</span>
              </span>
            </label>
          ))}
        </fieldset>
      }
    >
      {all.length > 1 && <ActivityChart messages={all} />}
      {shown.length === 0 && <Empty>There are no such messages.</Empty>}
      <ol className="thread">
        {keyed(shown, ({ createdAt }) => createdAt).map(({ key, item }) => (
          <li key={key}>
            <ThreadMessage message={item} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
