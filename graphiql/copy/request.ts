/** An operation to be sent, with the endpoint that receives it. */
export interface CopiedRequest {
  url: string;
  query: string;
  variables?: object | undefined;
  /** Set if the document has several operations. */
  operationName?: string | undefined;
  /** True if the response is a stream of events. */
  isLive: boolean;
}

/** The gateway accepts URLs up to 8192 bytes; the rest is for a proxy that adds a prefix. */
const MAX_URL_LENGTH = 8000;

/**
 * A link that opens the page with an operation and its variables.
 * @throws Error if it is too long.
 */
export function linkFrom(url: string, query: string, variables: string): string {
  const params = new URLSearchParams({ query, ...(variables.trim() !== '' && { variables }) });
  const link = `${url}?${params}`;
  if (link.length > MAX_URL_LENGTH) throw new Error('The operation is too long for a link.');
  return link;
}

/** A command of a POSIX shell, which takes the key from the environment. */
export function curlFrom({ url, isLive, ...params }: CopiedRequest): string {
  return [
    `curl ${isLive ? '-N ' : ''}${quoted(url)}`,
    '-H "x-api-key: $PORTICO_API_KEY"',
    "-H 'content-type: application/json'",
    ...(isLive ? ["-H 'accept: text/event-stream'"] : []),
    `--data-raw ${quoted(JSON.stringify(params))}`,
  ].join(' \\\n  ');
}

/** A shell leaves everything between single quotes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** An ES module for Node, which takes the key from the environment and prints the response. */
export function moduleFrom({ url, query, isLive, ...params }: CopiedRequest): string {
  const rest = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}`);
  return `// operation.mjs: PORTICO_API_KEY=… node operation.mjs
const query = ${templateLiteral(query)};

const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',${isLive ? "\n    accept: 'text/event-stream'," : ''}
    'x-api-key': process.env.PORTICO_API_KEY ?? '',
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

/** A text as a template literal of JavaScript, which keeps its lines. */
function templateLiteral(text: string): string {
  return `\`${text.replaceAll('\r', '').replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``;
}
