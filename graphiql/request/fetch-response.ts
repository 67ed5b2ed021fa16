import { noteDeprecation } from '../deprecation/deprecation.ts';

/**
 * `fetch` for operations, by `send`. If no response of a gateway arrives, but nothing, or the error page of a proxy,
 * it resolves to a response with one error that says so. Rejects if the request is aborted.
 */
export async function fetchResponse(
  input: RequestInfo | URL,
  init?: RequestInit,
  send = fetch,
): Promise<Response> {
  try {
    const response = await send(input, init);
    noteDeprecation(response.headers);
    if (isInParts(response)) return response;
    const text = await response.text();
    return isJsonObject(text) ? new Response(text, response) : problem(notFromGateway(response));
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    return problem('No response: the gateway cannot be reached.');
  }
}

function isInParts({ headers }: Response): boolean {
  return /^(multipart\/mixed|text\/event-stream)\b/i.test(headers.get('content-type') ?? '');
}

function isJsonObject(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json);
  } catch {
    return false;
  }
}

function notFromGateway({ status }: Response): string {
  return `HTTP ${status} without a GraphQL response. It may come from a proxy in front of the gateway.`;
}

function problem(message: string): Response {
  return Response.json({ errors: [{ message }] });
}
