import { useEffect, useRef, useState } from 'react';
import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import type { ThreadMessageFragment } from '../../generated/graphql.ts';
import { useAddress } from '../../navigation/route.ts';
import { timeOf } from '../../ui/format.ts';
import { Empty, Section } from '../../ui/section.tsx';
import { createKept } from '../../ui/store.ts';
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

/** The order of messages that the reader has chosen, on this device. */
const newestFirst = createKept('portico-dashboard.newest-first', false);

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
  const isNewestFirst = newestFirst.use();
  const all = messages.map((message) => readFragment(threadMessageFragment, message));
  const numbered = all.map((message, index) => ({ message, number: index + 1 }));
  const shown = numbered.filter(({ message }) => filter?.includes(message) ?? true);
  const ordered = isNewestFirst ? fromNewest(shown) : shown;
  const linked = useLinkedMessage(all.length, () => setFilter(filters[0]));
  return (
    <Section
      title="Messages"
      count={all.length}
      aside={
        <div className="row thread-tools">
          {all.length > 1 && (
            <label>
              <input
                type="checkbox"
                checked={isNewestFirst}
                onChange={({ currentTarget }) => newestFirst.set(currentTarget.checked)}
              />{' '}
              Newest first
            </label>
          )}
          {filters.map((choice) => (
            <label key={choice.name}>
              <input type="radio" checked={choice === filter} onChange={() => setFilter(choice)} />{' '}
              {choice.name} <span className="count">{all.filter(choice.includes).length}</span>
            </label>
          ))}
        </div>
      }
    >
      {linked > all.length && <Empty>The conversation has no message {linked}.</Empty>}
      {shown.length === 0 && <Empty>There are no such messages.</Empty>}
      <ol className="thread">
        {ordered.map(({ message, number }) => (
          <li
            key={number}
            id={`m-${number}`}
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

/** Messages by their times, the newest first; of two with the same time, or without one, the later one comes first. */
function fromNewest<Item extends { message: ThreadMessageFragment }>(items: readonly Item[]): Item[] {
  let latest = 0;
  const timed = items.map((item) => {
    latest = timeOf(item.message.createdAt) ?? latest;
    return { item, time: latest };
  });
  return timed
    .reverse()
    .sort((a, b) => b.time - a.time)
    .map(({ item }) => item);
}

/**
 * The number of the message that the address names; 0: none. Scrolls to it and focuses it, because a browser looks for it
 * before it is there. `showAll` ends a filter that hides it.
 */
function useLinkedMessage(count: number, showAll: () => void): number {
  const linked = Number(/^#m-([1-9]\d{0,8})$/.exec(useAddress('hash'))?.[1] ?? 0);
  const isThere = linked > 0 && linked <= count;
  const target = useRef<string>(undefined);
  useEffect(() => {
    if (!isThere) return;
    target.current = `m-${linked}`;
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
