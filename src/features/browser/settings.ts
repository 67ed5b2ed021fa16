import type { Values } from '../../config/declaration.ts';
import { listOf } from '../../config/kinds.ts';

export const browserSettings = {
  CORS_ORIGINS: listOf(
    (text) => text === '*' || isOrigin(text),
    'must be *, or origins as browsers send them, separated by commas: https://app.example.com',
  ).describe('Origins of web pages that may send requests, separated by commas; `*`: any; unset: none'),
};

/** In `corsOrigins`, `*` is any origin. */
export type BrowserOptions = ReturnType<typeof browserConfig>;

export function browserConfig(values: Values<typeof browserSettings>) {
  return { corsOrigins: values.CORS_ORIGINS };
}

/** Returns true for an `Origin` as browsers send it, except `null`, which any sandboxed page sends. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
