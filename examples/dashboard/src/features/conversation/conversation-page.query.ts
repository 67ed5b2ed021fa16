import { graphql } from '../../generated/gql.ts';

/** The thread comes first: each site costs a REST call of its own, for which the thread does not wait. */
export const conversationPageQuery = graphql(`
  query ConversationPage($id: ID!) {
    conversationContext(id: $id) {
      id
      subject
      ...ConversationSummary
      ...ParticipantList
      messages {
        ...ThreadMessage
      }
      sites {
        id
        ...ConcernedSite
        ...ConcernedSiteCard @defer
      }
    }
  }
`);

/** The same, again whenever it changes. */
export const conversationPageLive = graphql(`
  subscription ConversationPageLive($id: ID!) {
    live {
      conversationContext(id: $id) {
        id
        subject
        ...ConversationSummary
        ...ParticipantList
        messages {
          ...ThreadMessage
        }
        sites {
          id
          ...ConcernedSite
          ...ConcernedSiteCard
        }
      }
    }
  }
`);
