/** The files of GraphiQL's page: `dist/graphiql/manifest.json`, which the build writes. */
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
