/** The build imports Markdown as its text. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild exports the text so.
  export default text;
}
