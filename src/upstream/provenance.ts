import { isMissing, type UpstreamResponse } from './call.ts';
import { isObject, parse, textOf, uncounted } from './json.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * True for a response that rejects a key or denies a resource without being JSON: the REST API sends nothing else,
 * so a firewall or a proxy in front of it has sent this one. A 429 counts whoever sends it.
 */
export function isFromElsewhere(response: Pick<UpstreamResponse, 'status' | 'headers' | 'body'>): boolean {
  const { status, headers } = response;
  if (status !== 401 && status !== 403 && !isMissing(status)) return false;
  return !JSON_TYPE.test(headers.get('content-type') ?? '') || !isJsonObject(response);
}

function isJsonObject(response: Pick<UpstreamResponse, 'headers' | 'body'>): boolean {
  try {
    return isObject(parse(textOf({ ...response }, uncounted)));
  } catch {
    return false;
  }
}
