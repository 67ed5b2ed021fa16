import type { IncomingHttpHeaders } from 'node:http';
import { revealsSecret } from './secrets.ts';

/** Each has the fields of Apollo Client first, then those that any client may send. */
const nameFields = ['apollographql-client-name', 'x-client-name'];
const versionFields = ['apollographql-client-version', 'x-client-version'];

const credentialFields = ['x-api-key', 'authorization', 'cookie'];

const PRINTABLE = /^[ -~]+$/;

/**
 * Returns the name and the version that the client of a request gives itself, cut with `…`: null without one in
 * printable ASCII. One that reveals a credential of the request is `[redacted]`.
 */
export function readClient(headers: IncomingHttpHeaders) {
  return {
    clientName: readField(headers, nameFields, 64),
    clientVersion: readField(headers, versionFields, 32),
  };
}

function readField(headers: IncomingHttpHeaders, fields: readonly string[], most: number): string | null {
  for (const field of fields) {
    const value = headers[field];
    if (typeof value !== 'string') continue;
    const start = value.slice(0, most);
    if (!PRINTABLE.test(start)) continue;
    if (credentialFields.some((name) => revealsSecret(start, String(headers[name] ?? ''))))
      return '[redacted]';
    return value.length > most ? `${start}…` : start;
  }
  return null;
}
