export interface RawResponse {
  status: number;
  /** By lower-case name; repeated names have their values joined. */
  fields: Map<string, string>;
  head: string;
  body: string;
  /** Whether it arrived to its last byte. */
  isWhole: boolean;
}

/** All bytes received on a connection, one per character, and whether the server closed it. */
export interface ReceivedBytes {
  bytes: string;
  isEnded: boolean;
}

/**
 * Parses the responses on a connection.
 * @throws Error if the bytes are not HTTP
 */
export function responsesFrom({ bytes, isEnded }: ReceivedBytes): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = bytes; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) {
      expectStartOf(rest);
      break;
    }
    const head = rest.slice(0, end);
    const { status, fields } = headFrom(head);
    rest = rest.slice(end + 4);
    const hasBody = status >= 200 && status !== 204 && status !== 304 && !rest.startsWith('HTTP/1.1 ');
    const { body, length, isWhole } = hasBody
      ? bodyFrom(rest, fields, isEnded)
      : { body: '', length: 0, isWhole: true };
    rest = rest.slice(length);
    responses.push({ status, fields, head, body: Buffer.from(body, 'latin1').toString(), isWhole });
    if (!isWhole) break;
  }
  // Informational responses do not count.
  return responses.filter(({ status }) => status >= 200);
}

function expectStartOf(text: string): void {
  if (!text.startsWith('HTTP/1.1 '.slice(0, text.length))) throw new Error(`not HTTP: ${text.slice(0, 200)}`);
}

function headFrom(head: string): Pick<RawResponse, 'status' | 'fields'> {
  const [line = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5]\d\d) [\w -]*$/.exec(line)?.[1];
  const fields = new Map<string, string>();
  for (const field of lines) {
    const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+): ?([\x20-\x7e\t]*)$/.exec(field) ?? [];
    if (name === undefined) throw new Error(`not an HTTP field: ${field}`);
    const known = fields.get(name.toLowerCase());
    fields.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  if (status === undefined) throw new Error(`not an HTTP response: ${line}`);
  return { status: Number(status), fields };
}

interface Body {
  body: string;
  /** Including the framing. */
  length: number;
  isWhole: boolean;
}

/** A response with neither length nor chunks ends with its connection. */
function bodyFrom(text: string, fields: RawResponse['fields'], isEnded: boolean): Body {
  if (fields.get('transfer-encoding') === 'chunked') return chunksFrom(text);
  const declared = fields.get('content-length');
  if (declared === undefined) return { body: text, length: text.length, isWhole: isEnded };
  const length = Number(declared);
  return { body: text.slice(0, length), length, isWhole: text.length >= length };
}

function chunksFrom(text: string): Body {
  const head = /([\da-f]+)\r\n/iy;
  let body = '';
  let at = 0;
  for (;;) {
    head.lastIndex = at;
    const [line, size] = head.exec(text) ?? [];
    if (line === undefined) return { body, length: text.length, isWhole: false };
    const start = at + line.length;
    const length = Number.parseInt(size ?? '', 16);
    body += text.slice(start, start + length);
    at = start + length + 2;
    if (at > text.length) return { body, length: text.length, isWhole: false };
    if (length === 0) return { body, length: at, isWhole: true };
  }
}
