/** An operation to be sent, with the endpoint that receives it. */
export interface CopiedRequest {
  url: string;
  query: string;
  variables?: object | undefined;
  /** Where the document has several operations. */
  operationName?: string | undefined;
  /** Whether the response is a stream of events. */
  isLive: boolean;
  /** The value of `x-max-calls`. */
  maxCalls?: string | undefined;
}

/**
 * The variables in a text. `parseWithComments` reads what is no JSON; GraphiQL's own parser takes comments, but
 * loses a variable of the name `__proto__`.
 */
export function variablesFrom(
  text: string,
  parseWithComments: (text: string) => object | undefined,
): object | undefined {
  try {
    const variables: unknown = JSON.parse(text);
    if (typeof variables === 'object' && variables !== null && !Array.isArray(variables)) return variables;
  } catch {
    // Not JSON, or empty.
  }
  return parseWithComments(text);
}

/** The value of `x-max-calls` in these headers; undefined where it is none that the gateway accepts. */
export function maxCallsFrom(headers: Record<string, unknown>): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-max-calls') ?? [];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d*$/.test(text) ? text : undefined;
}

/** A command of a POSIX shell, which takes the key from the environment. */
export function curlFrom({ url, isLive, maxCalls, ...params }: CopiedRequest): string {
  return [
    `curl ${isLive ? '-N ' : ''}${quoted(url)}`,
    '-H "x-api-key: $PORTICO_API_KEY"',
    "-H 'content-type: application/json'",
    ...(isLive ? ["-H 'accept: text/event-stream'"] : []),
    ...(maxCalls ? [`-H ${quoted(`x-max-calls: ${maxCalls}`)}`] : []),
    `--data-raw ${quoted(JSON.stringify(params))}`,
  ].join(' \\\n  ');
}

/** A shell leaves everything between single quotes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** An ES module for Node, which takes the key from the environment and prints the response. */
export function moduleFrom({ url, query, isLive, maxCalls, ...params }: CopiedRequest): string {
  const rest = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${literal(value).replaceAll('\n', '\n  ')}`);
  return `// operation.mjs: PORTICO_API_KEY=… node operation.mjs
const query = ${templateLiteral(query)};

const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',${isLive ? "\n    accept: 'text/event-stream'," : ''}
    'x-api-key': process.env.PORTICO_API_KEY ?? '',${maxCalls ? `\n    'x-max-calls': '${maxCalls}',` : ''}
  },
  body: JSON.stringify({ query${rest.join('')} }),
});
${
  isLive
    ? 'for await (const bytes of response.body) process.stdout.write(bytes);'
    : 'console.log(JSON.stringify(await response.json(), null, 2));'
}
`;
}

/** A value of JSON as JavaScript, where the name `__proto__` without brackets would set the prototype. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/"__proto__"(?=:)/g, '["__proto__"]');
}

/** A text as a template literal of JavaScript, which keeps its lines. */
function templateLiteral(text: string): string {
  return `\`${text.replaceAll('\r', '').replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``;
}
