import { problemAt } from '../../gateway/problems.ts';
import { useView } from '../../gateway/use-view.ts';
import { Link } from '../../navigation/link.tsx';
import { useRemember } from '../../navigation/recent.ts';
import { conversationPath } from '../../navigation/route.ts';
import { sitesPath } from '../../navigation/sites-address.ts';
import { MissingPart, Part } from '../../states/part.tsx';
import { ViewPage } from '../../states/view-page.tsx';
import { compact } from '../../ui/format.ts';
import { Section } from '../../ui/section.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ConcernedSites } from './concerned-sites.tsx';
import { conversationPageLive, conversationPageQuery } from './conversation-page.query.ts';
import { ConversationSummary } from './conversation-summary.tsx';
import { ParticipantList } from './participant-list.tsx';
import { Thread } from './thread.tsx';
import './conversation.css';

/** A conversation: its messages, who takes part, and the sites that it concerns. */
export function ConversationPage({ id }: { id: string }) {
  const view = useView({ query: conversationPageQuery, live: conversationPageLive }, { id });
  const { problems } = view;
  const loaded = view.data?.conversationContext;
  const title = loaded?.subject || 'Conversation without a subject';
  useTitle(loaded ? title : id);
  useRemember(conversationPath(id), id, loaded && title);
  return (
    <ViewPage
      view={view}
      field="conversationContext"
      item={loaded}
      what="Conversation"
      id={id}
      skeleton={<Skeleton lines={8} label="Loading the conversation" />}
    >
      {(conversation) => (
        <div className="conversation-page">
          <ConversationSummary conversation={conversation} title={title} />
          <div className="conversation-thread">
            {conversation.messages ? (
              <Thread messages={conversation.messages} />
            ) : (
              <Section title="Messages">
                <MissingPart
                  name="Messages"
                  isPending={view.isPending}
                  problem={problemAt(problems, 'conversationContext', 'messages')}
                />
              </Section>
            )}
          </div>
          <ParticipantList conversation={conversation} />
          <Section
            title="Sites"
            count={conversation.sites?.length}
            className="conversation-sites"
            aside={<TableLink sites={conversation.sites ?? []} />}
          >
            <Part
              name="Sites"
              value={conversation.sites}
              isPending={view.isPending}
              problem={problemAt(problems, 'conversationContext', 'sites')}
            >
              {(sites) => <ConcernedSites sites={sites} view={view} />}
            </Part>
          </Section>
        </div>
      )}
    </ViewPage>
  );
}

/** Opens the sites of the conversation in one table. */
function TableLink({ sites }: { sites: readonly { id: string | null }[] }) {
  const ids = [...new Set(compact(sites.map(({ id }) => id)))];
  return ids.length > 0 && <Link to={sitesPath({ ids })}>Show in a table</Link>;
}
