import { containsKey } from '../operation/secret.ts';

/** A header field of a response, as the page shows it. */
export interface HeaderField {
  name: string;
  /** Undefined where it may be a secret. */
  value: string | undefined;
}

/** Names of header fields whose values are secrets. */
const SECRET =
  /(?:^|-)(?:api-?keys?|auth|authorization|cookies?|credentials?|password|secrets?|tokens?)(?:-|$)/i;

/** The header fields of a response, in the order of their names: no secret, nor the key that the request had. */
export function headerFieldsOf(headers: Headers, key: string | null): HeaderField[] {
  return [...headers].map(([name, value]) => {
    const isSecret = SECRET.test(name) || containsKey([value, decoded(value)], [key ?? '']);
    return { name, value: isSecret ? undefined : value };
  });
}

/** The id by which the log of the gateway has a request. */
export function requestIdIn(fields: readonly HeaderField[]): string | undefined {
  return fields.find(({ name }) => name === 'x-request-id')?.value;
}

/** `value` without the escapes of URLs. A key has ASCII characters only. */
function decoded(value: string): string {
  return value.replace(/%([2-7][\da-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
