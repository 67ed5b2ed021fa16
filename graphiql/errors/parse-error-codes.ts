/** When an error has a code, and what to do then, as Markdown of one line. */
export interface ErrorCodeEntry {
  when: string;
  whatToDo: string;
}

/** Reads the table of codes in docs/errors.md: rows of the form "| `CODE` | when | what to do |". */
export function parseErrorCodes(page: string): Map<string, ErrorCodeEntry> {
  const rows = page.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \|$/gm);
  return new Map([...rows].map(([, code = '', when = '', whatToDo = '']) => [code, { when, whatToDo }]));
}

/** A line of Markdown in pieces: plain text, and text in backticks. Links become their text. */
export function piecesOf(line: string): { text: string; isCode: boolean }[] {
  const withoutLinks = line.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return withoutLinks
    .split('`')
    .map((text, index) => ({ text, isCode: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
