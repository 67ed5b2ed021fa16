import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Problem } from '../../gateway/problems.ts';
import { type FragmentType, isFragmentReady, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import type { ConcernedSiteCardFragment, Incremental } from '../../generated/graphql.ts';
import { ProblemNotice } from '../../states/problem-notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SiteCard } from '../site/site-card.tsx';
import '../site/site.css';
import { conversationPageQuery } from './conversation-page.query.ts';
import { EarlierConversations } from './earlier-conversations.tsx';

const concernedSiteFragment = graphql(`
  fragment ConcernedSite on ConversationSite {
    id
    address
    serviceLevel
    associatedConversations {
      ...EarlierConversation
    }
  }
`);

const concernedSiteCardFragment = graphql(`
  fragment ConcernedSiteCard on ConversationSite {
    site {
      id
      ...SiteCard
    }
  }
`);

interface ConcernedSiteProps {
  site: FragmentType<typeof concernedSiteFragment> &
    FragmentType<TypedDocumentNode<Incremental<ConcernedSiteCardFragment>, unknown>>;
  isPending: boolean;
  problem: Problem | undefined;
  /** The response has failures that it does not list. */
  mayHaveFailed: boolean;
}

/** A site of a conversation: its card, and what was said about it earlier. Each has its own state. */
export function ConcernedSite({ site, isPending, problem, mayHaveFailed }: ConcernedSiteProps) {
  const { id, address, serviceLevel, associatedConversations } = readFragment(concernedSiteFragment, site);
  const isReady = isFragmentReady(conversationPageQuery, concernedSiteCardFragment, site);
  const card = isReady ? readFragment(concernedSiteCardFragment, site).site : undefined;
  return (
    <>
      {card ? (
        <SiteCard site={card} heading="h3" />
      ) : (
        // The data of the conversation itself about the site.
        <article className="site-card stack">
          <header className="row spread">
            <h3 dir="auto">{address || id || 'A site without an address'}</h3>
            {serviceLevel && <span className="badge badge-off">{serviceLevel}</span>}
          </header>
          {problem && <ProblemNotice problem={problem} />}
          {!problem && isPending && <Skeleton lines={3} label="Loading the card of the site" />}
          {!problem && !isPending && <p className="empty">{absenceOf(id, mayHaveFailed)}</p>}
        </article>
      )}
      <EarlierConversations conversations={associatedConversations} />
    </>
  );
}

function absenceOf(id: string | null, mayHaveFailed: boolean): string {
  if (!id) return 'The conversation does not say which site.';
  return mayHaveFailed
    ? 'This site could not be read.'
    : 'This site does not exist any more, or is not yours.';
}
