import { createClient } from 'graphql-sse';

/**
 * A client for one stream. Connects again after a lost connection, and where waiting can help (429, 5xx). Another
 * rejected request is not sent again.
 */
export function createSseClient(url: string, apiKey: string) {
  let rejection: Response | undefined;
  return createClient({
    url,
    headers: { 'x-api-key': apiKey },
    retryAttempts: 1000,
    async fetchFn(input: string, init: RequestInit) {
      rejection = undefined;
      // By its second media type a rejection has a status and JSON, and is no stream.
      const headers = { ...init.headers, accept: 'text/event-stream, application/graphql-response+json' };
      const response = await fetch(input, { ...init, headers });
      const { status } = response;
      if (status >= 400 && status < 500 && status !== 429) rejection = response;
      return response;
    },
    async retry(retries) {
      // An error here is reported, and ends the retries.
      if (rejection) {
        // A proxy sends no GraphQL response.
        const { errors = [] } = await rejection.json().catch(() => ({}));
        const [error = { message: `The response has the status ${rejection.status}.` }] = errors;
        throw Object.assign(new Error(error.message), error);
      }
      const waitMs = Math.min(1000 * 2 ** retries, 30_000) * (1 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    },
  });
}
