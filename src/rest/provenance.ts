import { isMissing, type UpstreamResponse } from './call.ts';
import { isObject, parse, textOf } from './json.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * True for a response that rejects a key or denies a resource without being JSON: the REST API sends nothing else,
 * so a firewall or a proxy in front of it has sent this one. A 429 counts whoever sends it.
 */
export function isFromElsewhere(response: Pick<UpstreamResponse, 'status' | 'headers' | 'body'>): boolean {
  const { status, headers, body } = response;
  if (status !== 401 && status !== 403 && !isMissing(status)) return false;
  return !JSON_TYPE.test(headers.get('content-type') ?? '') || !isJsonObject(body);
}

function isJsonObject(body: Buffer): boolean {
  try {
    return isObject(parse(textOf(body)));
  } catch {
    return false;
  }
}
