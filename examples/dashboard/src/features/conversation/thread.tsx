import { useEffect, useRef, useState } from 'react';
import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import type { ThreadMessageFragment } from '../../generated/graphql.ts';
import { useFragment } from '../../navigation/fragment.ts';
import { keyed } from '../../ui/keyed.ts';
import { Empty, Section } from '../../ui/section.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { messageAnchor, messageNumberFrom } from './message-anchor.ts';
import { newestFirst, setNewestFirst, useNewestFirst } from './message-order.ts';
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

/**
 * The messages of a conversation, all or only those of one kind, in the order of the conversation or the newest first.
 * They are all loaded, so that a filter or an order costs nothing.
 */
export function Thread({ messages }: { messages: readonly FragmentType<typeof threadMessageFragment>[] }) {
  const [filter, setFilter] = useState(filters[0]);
  const all = messages.map((message) => readFragment(threadMessageFragment, message));
  const numbered = keyed(all, ({ createdAt }) => createdAt).map(({ key, item, index }) => ({
    key,
    message: item,
    number: index + 1,
  }));
  const shown = numbered.filter(({ message }) => filter?.includes(message) ?? true);
  const isNewestFirst = useNewestFirst();
  const ordered = isNewestFirst ? newestFirst(shown) : shown;
  const linked = useLinkedMessage(all.length, () => setFilter(filters[0]));
  return (
    <Section
      title="Messages"
      count={all.length}
      aside={
        <div className="thread-tools">
          {all.length > 1 && (
            <label className="order">
              <input
                type="checkbox"
                checked={isNewestFirst}
                onChange={({ currentTarget }) => setNewestFirst(currentTarget.checked)}
              />
              Newest first
            </label>
          )}
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
        </div>
      }
    >
      {all.length > 1 && <ActivityChart messages={all} />}
      {linked !== undefined && linked > all.length && (
        <Empty>The conversation has no message {linked}.</Empty>
      )}
      {shown.length === 0 && <Empty>There are no such messages.</Empty>}
      <ol className="thread">
        {ordered.map(({ key, message, number }) => (
          <li
            key={key}
            id={messageAnchor(number)}
            tabIndex={-1}
            className={number === linked ? 'is-linked' : undefined}
          >
            <ThreadMessage message={message} number={number} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/**
 * The number of the message that the address names. Scrolls to it and focuses it, because a browser looks for it before it
 * is there. `showAll` ends a filter that hides it.
 */
function useLinkedMessage(count: number, showAll: () => void): number | undefined {
  const linked = messageNumberFrom(useFragment());
  const isThere = linked !== undefined && linked <= count;
  const target = useRef<string>(undefined);
  useEffect(() => {
    if (!isThere) return;
    target.current = messageAnchor(linked);
    if (!document.getElementById(target.current)) showAll();
  }, [linked, isThere]);
  // After every change, until the message is there.
  useEffect(() => {
    const message = target.current ? document.getElementById(target.current) : null;
    if (!message) return;
    target.current = undefined;
    message.scrollIntoView({ block: 'start' });
    message.focus({ preventScroll: true });
  });
  return linked;
}
