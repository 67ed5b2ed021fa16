/** The gateway accepts URLs up to 8192 bytes; the rest is for a proxy that adds a prefix. */
const MAX_URL_LENGTH = 8000;

/** A link that opens the page at `base` with an operation and its variables; undefined if it is too long. */
export function shareUrl(base: string, query: string, variables: string): string | undefined {
  const url = new URL(base);
  url.hash = '';
  url.search = String(new URLSearchParams({ query, ...(variables.trim() !== '' && { variables }) }));
  return url.href.length <= MAX_URL_LENGTH ? url.href : undefined;
}
