/** What the documentation, the examples and the tests go by. Ids here never change. */

/** Open the demo data, and nothing in production. */
export const demoKeys = {
  acme: 'demo-acme-key-000000000000',
  globex: 'demo-globex-key-0000000000',
} as const;

/** Acme's sites that are there for a reason. */
export function demoSites(siteIdPrefix = 'SITE') {
  return {
    /** An account manager, three clients, three projects. Globex has another site of this id. */
    main: `${siteIdPrefix}-1001`,
    withoutClients: `${siteIdPrefix}-1042`,
    with200Clients: `${siteIdPrefix}-1043`,
    withSpace: `${siteIdPrefix}-Harbour House 7`,
    withSlash: `${siteIdPrefix}-North/Annex`,
    withPercent: `${siteIdPrefix}-50% Lane`,
    withUmlaut: `${siteIdPrefix}-Café Größe`,
    /** Named by a conversation, and gone. */
    gone: `${siteIdPrefix}-0999`,
  };
}

/** Acme's conversations that are there for a reason. */
export const demoConversations = {
  /** Three sites, the first of them the main one. */
  main: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00',
  with300Messages: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e01',
  with30Sites: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e02',
  /** Globex has another conversation of this id. */
  shared: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e03',
  withoutFields: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e04',
  withEmptyFields: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e05',
  withGoneSite: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e06',
  /** Each element of its lists lacks another field. */
  withGaps: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e07',
} as const;
