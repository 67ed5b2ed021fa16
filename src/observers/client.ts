import type { IncomingHttpHeaders } from 'node:http';
import { revealsSecret } from './secrets.ts';

const credentialFields = ['x-api-key', 'authorization', 'cookie'];

const PRINTABLE = /^[ -~]+$/;

/** The name and the version that a client gives itself, cut with `…` and redacted; null if not printable ASCII. */
export function readClient(headers: IncomingHttpHeaders) {
  const name = headers['apollographql-client-name'] ?? headers['x-client-name'];
  const version = headers['apollographql-client-version'] ?? headers['x-client-version'];
  return { clientName: shown(name, 64, headers), clientVersion: shown(version, 32, headers) };
}

function shown(value: unknown, most: number, headers: IncomingHttpHeaders): string | null {
  if (typeof value !== 'string') return null;
  const start = value.slice(0, most);
  if (!PRINTABLE.test(start)) return null;
  if (credentialFields.some((name) => revealsSecret(start, String(headers[name] ?? '')))) return '[redacted]';
  return value.length > most ? `${start}…` : start;
}
