import { apiKeyFrom } from '../http/request.ts';

/** The API key that a command sends: PORTICO_API_KEY. Undefined where that is no key that a gateway accepts. */
export function apiKeyFromEnv({ PORTICO_API_KEY }: NodeJS.ProcessEnv): string | undefined {
  return apiKeyFrom({ headers: { 'x-api-key': PORTICO_API_KEY } });
}
