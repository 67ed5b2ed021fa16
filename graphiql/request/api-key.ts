import { options } from '../options.ts';
import { createSessionStore, createStore } from '../store.ts';

/** The key of the embedded reference; `''` where the gateway has another upstream. */
export const demoKey = options.example.apiKey;

/** The key that is sent. A new visit begins with the demo key. */
export const apiKey = createSessionStore('api-key', demoKey);

/** Why the last operation was rejected, if the key was the reason. */
export const keyProblem = createStore<'missing' | 'rejected' | undefined>(undefined);

apiKey.subscribe(() => keyProblem.set(undefined));

/** Whether a key can be sent: HTTP carries no blank and nothing but ASCII in it. */
export function isUsableKey(key: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(key);
}

/** The key in the headers of a request. */
export function keyIn(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-api-key')?.[1];
}

/** The headers of a request: those of the headers editor, and the key, unless the editor has one. */
export function withKey(headers: Readonly<Record<string, string>>): Record<string, string> {
  const key = apiKey.get();
  return keyIn(headers) !== undefined || !isUsableKey(key)
    ? { ...headers }
    : { ...headers, 'x-api-key': key };
}
