import { type Exchange, mapExchange } from 'urql';
import { recall, remember } from './session-memory.ts';

const KEY = 'without-manifest';

let isAbsent = recall(KEY) !== undefined;

/** Whether the gateway has said in this session that it has no manifest: then it is sent texts, without asking again. */
export const lacksManifest = () => isAbsent;

/** Learns from the errors of a response, whose request had an id, whether the gateway has a manifest. */
export function noteManifest(errors: readonly { message: string; extensions?: object | undefined }[]): void {
  if (errors.some(({ message }) => message === 'PersistedQueryNotSupported')) setAbsent(true);
  // A gateway that executes nothing but its manifest rejects the texts: it has got one since.
  else if (isAbsent && errors.some(isBadRequest)) setAbsent(false);
}

/** Comes after the exchange that chooses between an id and the text. */
export const manifestExchange: Exchange = mapExchange({
  onResult: ({ error }) => {
    if (error) noteManifest(error.graphQLErrors);
  },
});

function setAbsent(value: boolean): void {
  isAbsent = value;
  remember(KEY, value ? 'true' : undefined);
}

function isBadRequest({ extensions }: { extensions?: { code?: unknown } | undefined }): boolean {
  return extensions?.code === 'BAD_REQUEST';
}
