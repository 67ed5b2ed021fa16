import { problemAt } from '../../gateway/problems.ts';
import { useView } from '../../gateway/use-view.ts';
import { Link } from '../../navigation/link.tsx';
import { useRemember } from '../../navigation/recent.ts';
import { conversationPath } from '../../navigation/route.ts';
import { Part } from '../../states/part.tsx';
import { ViewPage } from '../../states/view-page.tsx';
import { compact } from '../../ui/format.ts';
import { Empty, Section } from '../../ui/section.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { sitesPath } from '../sites/sites-address.ts';
import { ConcernedSite } from './concerned-site.tsx';
import { conversationPageLive, conversationPageQuery } from './conversation-page.query.ts';
import { ConversationSummary } from './conversation-summary.tsx';
import { ParticipantList } from './participant-list.tsx';
import { Thread } from './thread.tsx';
import './conversation.css';

/** A conversation: its messages, who takes part, and the sites that it concerns. */
export function ConversationPage({ id }: { id: string }) {
  const view = useView({ query: conversationPageQuery, live: conversationPageLive }, { id });
  const { problems, isPending, report } = view;
  const loaded = view.data?.conversationContext;
  const title = loaded?.subject || 'Conversation without a subject';
  useRemember(conversationPath(id), id, loaded && title);
  const part = (name: string, field: string) => ({
    name,
    isPending,
    problem: problemAt(problems, 'conversationContext', field),
  });
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
          <title>{`${title} · Partner dashboard`}</title>
          <ConversationSummary conversation={conversation} title={title} />
          <div className="conversation-thread">
            <Part {...part('Messages', 'messages')} value={conversation.messages}>
              {(messages) => <Thread messages={messages} />}
            </Part>
          </div>
          <ParticipantList conversation={conversation} />
          <Section
            title="Sites"
            count={conversation.sites?.length}
            className="conversation-sites"
            aside={<TableLink sites={conversation.sites ?? []} />}
          >
            <Part {...part('Sites', 'sites')} value={conversation.sites}>
              {(sites) => (
                <ul>
                  {sites.length === 0 && <Empty>The conversation concerns no site.</Empty>}
                  {sites.map((site, index) => (
                    <li key={index}>
                      <ConcernedSite
                        site={site}
                        isPending={isPending}
                        mayHaveFailed={report.omittedErrors > 0}
                        problem={problemAt(problems, 'conversationContext', 'sites', index, 'site')}
                      />
                    </li>
                  ))}
                </ul>
              )}
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
