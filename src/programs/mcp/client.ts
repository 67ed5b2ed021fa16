import type { CallToolResult } from '@modelcontextprotocol/server';
import { version } from '../../command/help.ts';
import { parse } from '../../upstream/json.ts';
import type { AgentTool } from './tools.ts';

/** Longest response: clients cut or reject results beyond some 25,000 tokens. */
const MAX_BYTES = 65_536;
/** Deepest argument: no type of an argument has as many levels, and JSON.stringify fails at some thousands. */
const MAX_DEPTH = 32;
/** Longer than `OPERATION_TIMEOUT_MS` by default, so that the gateway responds first. */
const TIMEOUT_MS = 60_000;

export type CallTool = (
  tool: AgentTool,
  given: Record<string, unknown>,
  apiKey: string | null,
  signal: AbortSignal,
) => Promise<CallToolResult>;

/**
 * Creates the function that executes the trusted document of a tool at the gateway, whose endpoint is `url`. The
 * arguments that are `given` are not checked: the gateway coerces them as variables, and responds where there is no
 * key.
 */
export function createCallTool(url: URL): CallTool {
  return async (tool, given, apiKey, signal) => {
    const { name, inputSchema } = tool.definition;
    const { properties } = inputSchema;
    const known = Object.keys(properties);
    // The gateway would ignore it, and the agent would take the result for another.
    if (Object.keys(given).some((argument) => !known.includes(argument)))
      return failure(`Unknown argument. ${name} has: ${known.join(', ') || 'none'}.`);
    const deep = known.find((argument) => isDeeper(given[argument], MAX_DEPTH));
    if (deep !== undefined) return failure(`${deep} has more than ${MAX_DEPTH} levels of lists and objects.`);
    // A null would replace a default, and with it the bound of a list.
    const isSent = ([argument, value]: [string, unknown]) =>
      value !== null || properties[argument]?.default === undefined;
    const variables = Object.fromEntries(Object.entries(given).filter(isSent));
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'x-client-name': 'portico-mcp',
          'x-client-version': version,
          ...(apiKey !== null && { 'x-api-key': apiKey }),
        },
        body: JSON.stringify({ documentId: tool.documentId, operationName: name, variables }),
        // A redirect would take the key to another address.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const text = await textWithin(MAX_BYTES, response);
      return text === undefined ? failure(tooLarge(tool, variables)) : resultFrom(text, response);
    } catch {
      // The error could quote the key.
      return failure('The gateway cannot be reached, or did not respond in time.');
    }
  };
}

/** Whether lists and objects are nested in a value at more levels than these. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Undefined where the body is longer; the rest is not read. */
async function textWithin(maxBytes: number, { body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Names the arguments that make the response smaller: numbers, and lists of ids. */
function tooLarge({ definition }: AgentTool, given: Record<string, unknown>): string {
  const { properties } = definition.inputSchema;
  const advice = Object.entries(properties).flatMap(([name, { type, default: fallback }]) => {
    if (type === 'array') return `give fewer ${name}`;
    const value = given[name] ?? fallback;
    return type === 'integer' ? `lower ${name}${typeof value === 'number' ? `, which is ${value}` : ''}` : [];
  });
  const then = advice.length > 0 ? `Call again: ${advice.join('; or ')}.` : 'No argument makes it smaller.';
  return `The response is over ${MAX_BYTES / 1024} KB. ${then}`;
}

interface GraphqlResponse {
  data?: Record<string, unknown> | null;
  errors?: unknown[];
}

/** The response of the gateway as it is; with `retryAfter`, in seconds, where the gateway says so. */
function resultFrom(text: string, { status, headers }: Response): CallToolResult {
  const response = parse(text) as GraphqlResponse | null | undefined;
  if (!response?.data && !response?.errors)
    return failure(`HTTP status ${status} without a GraphQL response: is the URL right?`);
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const result = { ...response, ...(retryAfter >= 0 && { retryAfter }) };
  return {
    content: [{ type: 'text', text: JSON.stringify(result) }],
    ...(response.errors && !hasData(response) && { isError: true }),
  };
}

/** Whether anything but nulls came back, at any depth: `{ "sites": [null] }` has no data. */
function hasData({ data }: GraphqlResponse): boolean {
  const values: unknown[] = [data];
  // The loop reads what it appends.
  for (const value of values) {
    if (typeof value === 'object') values.push(...Object.values(value ?? {}));
    else if (value !== undefined) return true;
  }
  return false;
}
