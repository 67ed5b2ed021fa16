import type { PageManifest } from './manifest.ts';

/** One operation the page opens with. */
export interface ExampleTab {
  query: string;
  /** The variables as JSON text, laid out as the editor shall show them. */
  variables: string;
}

export interface GraphiqlOptions {
  /** The key that the page offers: the demo key, or `''` for none. */
  apiKey: string;
  /** The operations the page opens with; GraphiQL names each tab after the operation in it. */
  tabs: readonly ExampleTab[];
}

/** What the script of the page reads from its HTML. */
export interface PageOptions extends GraphiqlOptions, Pick<PageManifest, 'workers'> {}

/** The page around GraphiQL. Every URL is relative, so a path prefix in front of the gateway keeps working. */
export function graphiqlPage({ apiKey, tabs }: GraphiqlOptions, manifest: PageManifest): string {
  const { script, preload, style, logo, workers } = manifest;
  const options: PageOptions = { apiKey, tabs, workers };
  // Inside a script element only a `<` could end the JSON early.
  const json = JSON.stringify(options).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Portico GraphiQL</title>
    <link rel="icon" type="image/svg+xml" href="graphiql/${logo}">
    <link rel="stylesheet" href="graphiql/${style}">
    <script type="application/json" id="options">${json}</script>
    <script type="module" src="graphiql/${script}"></script>
${preload.map((name) => `    <link rel="modulepreload" href="graphiql/${name}">`).join('\n')}
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root">Loading GraphiQL…</div>
  </body>
</html>
`;
}
