import type { PageOptions } from '../src/features/graphiql/page.ts';

/** One operation that the page opens with. GraphiQL names the tab after it. */
export interface ExampleTab {
  query: string;
  /** The variables as JSON text, laid out as the editor shows them. */
  variables: string;
}

/** The operations that the page opens with. */
export function exampleTabs({ example, hasLive }: Omit<PageOptions, 'workers'>): ExampleTab[] {
  const { siteId, conversationId } = example;
  const tab = (query: string, variables: object) => ({
    query,
    variables: JSON.stringify(variables, null, 2),
  });
  return [
    tab(operations.site, { id: siteId }),
    tab(operations.conversation, { id: conversationId }),
    tab(operations.dashboard, { site: siteId, conversation: conversationId }),
    tab(operations.deferred, { id: siteId }),
    ...(hasLive ? [tab(operations.live, { id: siteId })] : []),
  ];
}

const operations = {
  site: /* GraphQL */ `# One REST call: a site with its clients
query Site($id: ID!) {
  site(id: $id) {
    id
    address1
    city
    serviceLevel
    accountManager {
      firstName
      lastName
    }
    clients {
      name
      isPrimary
      emails {
        value
        label
      }
    }
  }
}
`,
  conversation: /* GraphQL */ `# One REST call, and one for each of its sites
query ConversationView($id: ID!) {
  conversationContext(id: $id) {
    subject
    status
    urgency
    messages(last: 5, isInternal: false) {
      author
      createdAt
      text
    }
    sites {
      address
      site {
        id
        serviceLevelLabel
        isMonitored
      }
    }
  }
}
`,
  dashboard: /* GraphQL */ `# Two views: what both select is loaded once
query Dashboard($site: ID!, $conversation: ID!) {
  site(id: $site) {
    ...Card
    primaryProject {
      name
      stage
    }
  }
  conversationContext(id: $conversation) {
    subject
    status
    participants {
      agents
      clients {
        name
        primaryPhoneNumber
      }
    }
    sites {
      site {
        ...Card
      }
      associatedConversations {
        friendlyId
        subject
        resolution
      }
    }
  }
}

fragment Card on Site {
  id
  address1
  city
  serviceLevelLabel
  primaryClient {
    name
  }
}
`,
  deferred: /* GraphQL */ `# Two REST calls: the clients arrive when the rest is already there
query Deferred($id: ID!) {
  site(id: $id) {
    address1
    city
    ... @defer {
      clients {
        name
      }
    }
  }
}
`,
  live: `# The present state, and again whenever it changes, until you stop it
subscription Live($id: ID!) {
  live {
    site(id: $id) {
      address1
      city
      serviceLevelLabel
      updatedAt
      clients {
        name
      }
    }
  }
}
`,
};
