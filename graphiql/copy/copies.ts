import { tryParseJSONC } from '@graphiql/react';
import { Kind, parse, separateOperations } from 'graphql';
import type { EditedOperation } from '../operation/edited.ts';
import { isLive } from '../request/live.ts';
import { type CopiedRequest, curlFrom, maxCallsFrom, moduleFrom, variablesFrom } from './request.ts';
import { type TypedClient, typedClients, typedFrom } from './typed.ts';

/** An operation, and the headers of their editor. */
interface SentOperation extends EditedOperation {
  headers: Record<string, unknown>;
}

interface Copy {
  name: string;
  /** @throws Error that says what of the operation cannot be copied. */
  textOf(operation: SentOperation, url: string): string;
}

/** What the operation in the editors can be copied as. */
export const copies: readonly Copy[] = [
  { name: 'cURL', textOf: (operation, url) => curlFrom(requestOf(operation, url)) },
  { name: 'fetch for Node', textOf: (operation, url) => moduleFrom(requestOf(operation, url)) },
  ...typedClients.map((client) => ({
    name: `Typed: ${client}`,
    textOf: (operation: EditedOperation) => typedOf(operation, client),
  })),
];

function requestOf(operation: SentOperation, url: string): CopiedRequest {
  const { query, variables, operationName, headers } = operation;
  const operations = parse(query).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return {
    url,
    query,
    variables: variablesFrom(variables, tryParseJSONC),
    operationName: operations.length > 1 ? operationName : undefined,
    isLive: isLive({ query, operationName: operationName ?? null }),
    maxCalls: maxCallsFrom(headers),
  };
}

function typedOf({ query, operationName }: EditedOperation, client: TypedClient): string {
  const operations = separateOperations(parse(query));
  const document = operations[operationName ?? ''] ?? Object.values(operations)[0];
  if (!document) throw new Error('The text has no operation.');
  return typedFrom(client, document);
}
