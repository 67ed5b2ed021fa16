/** A line and its number, from 1. `text` is null where the line is too long or not UTF-8. */
export interface Line {
  number: number;
  text: string | null;
}

export const LINE_MAX_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;

/** The lines of a stream. At most one is in memory, and none that is too long. */
export async function* linesFrom(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const append = (part: Buffer) => {
    length += part.length;
    if (length <= LINE_MAX_BYTES) parts.push(part);
    else parts = [];
  };
  const end = (): Line => {
    const line = { number, text: length > LINE_MAX_BYTES ? null : textFrom(Buffer.concat(parts)) };
    number += 1;
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, stop));
      yield end();
      start = stop + 1;
    }
    append(chunk.subarray(start));
  }
  if (length > 0) yield end();
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textFrom(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
