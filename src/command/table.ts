/** Rows of texts as lines of aligned columns; a last column without a text is left out. */
export function tableFrom(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const isLastEmpty = rows.every((row) => (row.at(-1) ?? '') === '');
  const table = [heading, ...rows].map((row) => (isLastEmpty ? row.slice(0, -1) : row).map(printable));
  const widths = heading.map((_, column) =>
    table.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0),
  );
  return table.map((row) => {
    const padded = row.map((text, column) => text.padEnd(widths[column] ?? 0));
    return padded.join('  ').trimEnd();
  });
}

/** Characters on which terminals, logs and CI systems act, and those that hide or reorder others. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of one line, with escapes as JSON has them in place of characters that are not shown. */
export function printable(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(INVISIBLE, (character) => character.split('').map(escaped).join(''));
}
