/** Rows of texts as lines of aligned columns; a last column without a text is left out. */
export function tableFrom(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const isLastEmpty = rows.every((row) => (row.at(-1) ?? '') === '');
  const table = [heading, ...rows].map((row) => (isLastEmpty ? row.slice(0, -1) : row));
  const widths = heading.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
