import { pick, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import { useCallback } from 'react';
import { apiKey, keyIn } from '../request/api-key.ts';
import { operationNameIn } from '../request/operation-name.ts';
import { containsKey } from './secret.ts';

/** The texts of the editors, without the headers. */
export interface EditedOperation {
  query: string;
  variables: string;
  operationName: string | undefined;
}

/** Returns what reads the operation in the editors. */
export function useEditedOperation(): () => EditedOperation {
  const { queryEditor, variableEditor, operationName } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'operationName'),
  );
  return useCallback(() => {
    const query = queryEditor?.getValue() ?? '';
    const variables = variableEditor?.getValue() ?? '';
    return { query, variables, operationName: operationNameIn(query, operationName) };
  }, [queryEditor, variableEditor, operationName]);
}

/** Returns whether a text has the key in it: that of the field or of the headers. Such a text stays in the page. */
export function useKeyCheck(): (...texts: string[]) => boolean {
  const headerEditor = useGraphiQL(({ headerEditor }) => headerEditor);
  return useCallback(
    (...texts) => containsKey(texts, [apiKey.get(), keyOfHeaders(headerEditor?.getValue())]),
    [headerEditor],
  );
}

/** Returns what reads the headers in their editor; none while it has no object. */
export function useEditedHeaders(): () => Record<string, string> {
  const headerEditor = useGraphiQL(({ headerEditor }) => headerEditor);
  return useCallback(() => headersIn(headerEditor?.getValue()), [headerEditor]);
}

function headersIn(text: string | undefined): Record<string, string> {
  try {
    return (tryParseJSONC(text) ?? {}) as Record<string, string>;
  } catch {
    return {};
  }
}

function keyOfHeaders(text: string | undefined): string {
  return String(keyIn(headersIn(text)) ?? '');
}
