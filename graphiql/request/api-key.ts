import { options } from '../options.ts';
import { createSessionStore, createStore } from '../store.ts';

/** The key of the embedded reference; `''` if the gateway has another upstream. */
export const demoKey = options.example.apiKey;

/** The key that is sent. A new visit begins with the demo key. */
export const apiKey = createSessionStore('api-key', demoKey);

/** Why the last operation was rejected, if the key was the reason. */
export const keyProblem = createStore<string | undefined>(undefined);

/** The field of the key, while it is shown. */
export const keyField: { current: HTMLInputElement | null } = { current: null };

/** The kinds of objects that the REST API has opened to the key of the field: each has a scope of its own. */
const opened = new Set<string>();

apiKey.subscribe(() => {
  keyProblem.set(undefined);
  opened.clear();
});

/** True if a key can be sent: HTTP carries no blank and nothing but ASCII in it. */
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

/** Asks for a key at its field. */
export function askForKey(): void {
  keyProblem.set('Every operation needs a key. Enter one here.');
  keyField.current?.focus();
}

/** Notes the calls that were made with a key. An object that does not exist (404) is opened too. */
export function noteCalls(key: string | undefined, calls: { path: string; status: number | null }[]): void {
  if (key !== apiKey.get()) return;
  for (const { path, status } of calls) {
    const [, kind] = /^\/v1\/(site|conversation)\//.exec(path) ?? [];
    if (kind && (status === 200 || status === 404)) opened.add(`${kind}s`);
  }
}

interface OperationResponse {
  data?: unknown;
  errors?: readonly { extensions?: { readonly [name: string]: unknown } }[] | undefined;
}

/** Says at the field that its key is the reason of a rejection: the headers may have had another one. */
export function noteRejection(key: string | undefined, { data, errors = [] }: OperationResponse): void {
  const isRejected = errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'FORBIDDEN');
  if (data || !isRejected || key !== apiKey.get()) return;
  keyProblem.set(
    opened.size > 0
      ? `This key has opened ${[...opened].join(' and ')}, but not this: it lacks a scope, or is revoked.`
      : 'The REST API rejected this key: is it complete, and of this environment?',
  );
}
