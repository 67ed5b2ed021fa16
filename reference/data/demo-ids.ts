/** The demo data that documentation, examples and tests refer to. These ids never change. */

/** Valid in the test environment only. */
export const demoKeys = {
  acme: 'demo-acme-key-000000000000',
  globex: 'demo-globex-key-0000000000',
  siteOnly: 'demo-site-only-key-0000000',
  conversationOnly: 'demo-conversation-only-key',
  expired: 'demo-expired-key-000000000',
  revoked: 'demo-revoked-key-000000000',
  tinyLimit: 'demo-tiny-limit-key-000000',
} as const;

/** Sites of Acme with a special property. */
export function demoSites(siteIdPrefix = 'SITE') {
  return {
    /** With an account manager, three clients and three projects. Globex has another site with this id. */
    main: `${siteIdPrefix}-1001`,
    withoutClients: `${siteIdPrefix}-1042`,
    with200Clients: `${siteIdPrefix}-1043`,
    withSpace: `${siteIdPrefix}-Harbour House 7`,
    withSlash: `${siteIdPrefix}-North/Annex`,
    withPercent: `${siteIdPrefix}-50% Lane`,
    withUmlaut: `${siteIdPrefix}-Café Größe`,
    /** Does not exist; a conversation refers to it. */
    gone: `${siteIdPrefix}-0999`,
  };
}

/** Conversations of Acme with a special property. */
export const demoConversations = {
  /** With three sites, the main one first. */
  main: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00',
  with300Messages: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e01',
  with30Sites: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e02',
  /** Globex has another conversation with this id. */
  shared: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e03',
  withoutFields: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e04',
  withEmptyFields: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e05',
  withGoneSite: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e06',
  /** Each element of its lists lacks a different field. */
  withGaps: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e07',
} as const;
