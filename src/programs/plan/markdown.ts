/** Code hosts reject a comment of more than 65,536 characters, which two tables fit in. */
const MAX_CHARACTERS = 30_000;

/** A table of texts as Markdown, bounded in length: its last rows may be replaced by their number. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = rows.map((row) => `| ${row.map(literal).join(' | ')} |`);
  let length = 0;
  const shown = lines.filter((line) => {
    length += line.length + 1;
    return length < MAX_CHARACTERS;
  });
  const omitted = lines.length - shown.length;
  return [
    `| ${heading.join(' | ')} |`,
    `|${'---|'.repeat(heading.length)}`,
    ...shown,
    ...(omitted > 0 ? ['', `${omitted} more are left out.`] : []),
  ];
}

/** What has no meaning in Markdown. */
const PLAIN = /^[\p{L}\p{N} +×-]*$/u;

/** A text that is shown as it is. In code, hosts link no mentions and issues. */
function literal(text: string): string {
  if (PLAIN.test(text)) return text;
  const characters = [...text.replace(/[\p{C}\s]+/gu, ' ')];
  const escaped = characters.map((one) => (PLAIN.test(one) ? one : `&#${one.codePointAt(0)};`));
  return `<code>${escaped.join('')}</code>`;
}
