/** UTF-8, one byte a character. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** One or more requests, as they stand on the wire. */
export interface Case {
  name: string;
  /** One byte a character. Where the key of the tests stands, each sending may have a key of its own. */
  wire: string;
  responses: number;
  /** In how many pieces it is written, if that is more than one. */
  pieces?: number;
}

/** Not the key of the examples, which GraphiQL shows. */
export const corpusKey = 'lane-key-0123456789abcdef';

/** Header fields by their names; a list stands on lines of its own, and null takes a field away. */
export type Fields = Record<string, string | readonly string[] | null>;

/** How a request differs from the common one. */
export interface Change {
  line?: string;
  fields?: Fields;
  /** Writes the body and says in the head how long it is; measured if it is not given. */
  frame?: (body: string) => { fields: Fields; bytes: string };
}

const common: Fields = {
  Host: 'gateway.test',
  'Content-Type': 'application/json',
  Accept: 'application/json',
  'X-Api-Key': corpusKey,
};

const measured = (body: string) => ({ fields: { 'Content-Length': String(body.length) }, bytes: body });

function wireOf(
  body: string,
  { line = 'POST /graphql HTTP/1.1', fields = {}, frame = measured }: Change = {},
): string {
  const framed = frame(body);
  const all = Object.entries({ ...common, ...framed.fields, ...fields });
  const lines = all.flatMap(([name, value]) => [value ?? []].flat().map((each) => `${name}: ${each}`));
  return [line, ...lines, '', framed.bytes].join('\r\n');
}

export function caseOf(name: string, body: string, change: Change = {}): Case {
  return { name, wire: wireOf(body, change), responses: 1 };
}

/** A request with these parameters in its body. */
export function post(params: unknown, change: Change = {}, name = JSON.stringify(params)): Case {
  return caseOf(`${name} ${shown(change)}`.slice(0, 400), bytesOf(JSON.stringify(params)), change);
}

/** A request with these parameters in its URL, and no body. */
export function get(params: Record<string, unknown>, change: Change = {}): Case {
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const line = `GET /graphql?${new URLSearchParams(texts)} HTTP/1.1`;
  return caseOf(line.slice(0, 200), '', {
    line,
    ...change,
    frame: (body) => ({ fields: { 'Content-Type': null }, bytes: body }),
  });
}

function shown({ line = '', fields = {} }: Change): string {
  return `${line} ${Object.keys(fields).length > 0 ? JSON.stringify(fields) : ''}`.trim();
}

/** Several requests in one packet, one answer for each. */
export function pipelined(...cases: readonly Case[]): Case {
  return {
    name: cases.map(({ name }) => name).join(' and at once '),
    wire: cases.map(({ wire }) => wire).join(''),
    responses: cases.reduce((sum, { responses }) => sum + responses, 0),
  };
}

let freshKeys = 0;

/** The same with a new key, for which the gateway holds no state. */
export function withFreshKey({ wire, ...rest }: Case): Case {
  freshKeys += 1;
  const key = `lane-key-${String(freshKeys).padStart(corpusKey.length - 9, '0')}`;
  return { ...rest, wire: wire.replaceAll(corpusKey, key) };
}
