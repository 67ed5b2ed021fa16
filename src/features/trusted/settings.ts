import type { Given, Values } from '../../config/declaration.ts';
import { oneOf, text } from '../../config/kinds.ts';

export const trustedSettings = {
  TRUSTED_DOCUMENTS: text().describe(
    'JSON file of documents by id; clients may send an id in place of a document; unset: none',
  ),
  TRUSTED_DOCUMENTS_ONLY: oneOf('on', 'off').describe(
    '`on` rejects every document that is not in `TRUSTED_DOCUMENTS`',
  ),
};

export function trustedConfig(values: Values<typeof trustedSettings>) {
  const path = values.TRUSTED_DOCUMENTS;
  return {
    trustedDocuments: path === undefined ? null : { path, only: values.TRUSTED_DOCUMENTS_ONLY === 'on' },
  };
}

export function trustedContradictions(given: Given): string[] {
  if (given.TRUSTED_DOCUMENTS_ONLY !== 'on') return [];
  return [
    given.TRUSTED_DOCUMENTS === undefined &&
      'TRUSTED_DOCUMENTS must be set where TRUSTED_DOCUMENTS_ONLY is on',
    given.FEDERATION === 'on' &&
      'FEDERATION must be off where TRUSTED_DOCUMENTS_ONLY is on: routers send documents of their own',
  ].filter((fault) => fault !== false);
}
