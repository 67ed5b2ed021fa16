import page from '../../docs/errors.md';
import { parseErrorCodes } from './parse-error-codes.ts';

/** What each value of `extensions.code` means, from docs/errors.md. */
export const errorCodes = parseErrorCodes(page);
