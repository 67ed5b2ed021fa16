import type { Example } from '../../composition.ts';

/** The options that the script of the page reads from its HTML. */
export interface PageOptions extends Pick<PageManifest, 'workers'> {
  /** The values in the example operations that the page opens with. */
  example: Example;
  /** True if there are live queries. */
  hasLive: boolean;
}

/** The files of the page: `dist/graphiql/manifest.json`, which the build writes. */
export interface PageManifest {
  script: string;
  /** The scripts that `script` loads at once, itself or through others. */
  preload: string[];
  style: string;
  logo: string;
  workers: { editor: string; graphql: string; json: string };
  /** The names of all files; the text of each is stored as `<name>.gz`. */
  files: string[];
}

/**
 * The page around GraphiQL, which says that it is loading until its script has run. Its URLs are relative, so that a path
 * prefix in front of the gateway works.
 */
export function graphiqlPage(options: Omit<PageOptions, 'workers'>, manifest: PageManifest): string {
  const { script, preload, style, logo, workers } = manifest;
  const pageOptions: PageOptions = { ...options, workers };
  // Inside a script element only a `<` could end the JSON early.
  const json = JSON.stringify(pageOptions).replaceAll('<', '\\u003c');
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
    <div id="root"><p role="status">Loading GraphiQL…</p></div>
    <noscript><p>GraphiQL needs JavaScript.</p></noscript>
  </body>
</html>
`;
}
