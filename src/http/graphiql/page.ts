/** One operation the page opens with. */
interface ExampleTab {
  query: string;
  /** The variables as JSON text, laid out as the editor shall show them. */
  variables?: string;
}

export interface GraphiqlOptions {
  /** What the header editor holds as `x-api-key`: the demo key, or `''` as a blank to fill in. */
  apiKey: string;
  /** The operations the page opens with; GraphiQL names each tab after the operation in it. */
  tabs: readonly ExampleTab[];
}

const title = 'Portico GraphiQL';

/**
 * GraphiQL's tabs start with a stale drag offset that its own sheet hides only until a tab has the focus: the
 * first press on a tab would move it from under the pointer. Dragging still reorders the tabs without it.
 */
const pageStyle = '.graphiql-tab { transform: none !important }';

/** The page around GraphiQL. Every URL is relative, so a path prefix in front of the gateway keeps working. */
export function graphiqlPage({ apiKey, tabs }: GraphiqlOptions): string {
  const headers = JSON.stringify({ 'x-api-key': apiKey }, null, 2);
  // Inside a script element only a `<` could end the JSON early.
  const options = JSON.stringify({ title, headers, tabs }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" type="image/svg+xml" href="graphiql/logo.svg">
    <link rel="stylesheet" href="graphiql/graphiql.css">
    <style>${pageStyle}</style>
    <script type="application/json" id="options">${options}</script>
    <script src="graphiql/graphiql.js" defer></script>
    <script src="graphiql/start.js" defer></script>
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root">Loading GraphiQL…</div>
  </body>
</html>
`;
}

/** Starts GraphiQL in the browser, from the options in the page and what an earlier load of it left. */
export const startScript = `'use strict';
{
  const { title, headers, tabs } = JSON.parse(document.getElementById('options').textContent);

  const workers = { editorWorkerService: 'editor', graphql: 'graphql', json: 'json' };
  self.MonacoEnvironment = {
    getWorkerUrl: (_module, label) => new URL('graphiql/' + workers[label] + '.worker.js', document.baseURI).href,
  };

  // Tabs outlive a reload but not the browser tab: a fresh visit always finds the examples as they are now.
  const storage = sessionStorage;
  const saved = JSON.parse(storage.getItem('graphiql:tabState'));

  // A link may bring its own operation, as a GraphQL request over GET would.
  const search = new URLSearchParams(location.search);
  const linked = search.has('query')
    ? [{ query: search.get('query'), variables: search.get('variables') ?? '' }]
    : [];

  // GraphiQL fills its editors from these two rather than from the tab it opens, so name that tab's here.
  const opened = linked[0] ?? saved?.tabs[saved.activeTabIndex] ?? tabs[0];

  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    title,
    logo: '<img src="graphiql/logo.svg" width="32" height="32" alt="">',
    headers,
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    storage,
    defaultTabs: [...linked, ...tabs],
    query: opened?.query ?? '',
    variables: opened?.variables ?? '',
    // By default every edit is written to the address, which soon grows too long to be requested again.
    onEditQuery() {},
  });
}
`;

/** A portico: a pediment on three columns. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#3b3a8f"/>
  <path fill="#fff" d="M16 5 27 11v2.5H5V11zM7 15.5h3.5V23H7zm7.25 0h3.5V23h-3.5zm7.25 0H25V23h-3.5zM5 25h22v2.5H5z"/>
</svg>
`;
