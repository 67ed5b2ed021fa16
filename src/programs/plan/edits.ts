/** A part of a text, and what stands in its place. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Replaces parts of a text, which do not overlap. `originalOf`: the position in the original text. */
export function withEdits(original: string, edits: readonly Edit[]) {
  const ends = [{ at: 0, original: 0 }];
  let text = '';
  let rest = 0;
  for (const edit of [...edits].sort((one, other) => one.start - other.start)) {
    text += `${original.slice(rest, edit.start)}${edit.text}`;
    rest = edit.end;
    ends.push({ at: text.length, original: rest });
  }
  return {
    text: `${text}${original.slice(rest)}`,
    originalOf(position: number): number {
      const end = ends.findLast(({ at }) => at <= position);
      return end ? end.original + position - end.at : position;
    },
  };
}
