import { GraphQLError } from 'graphql';
import { UpstreamError } from '../rest/errors.ts';
import { errorCodes } from './errors.ts';
import { InputError } from './input.ts';
import { relocated } from './locations.ts';

/** Maps an error to the one that the client sees; `message` replaces that of a fault. */
export type ErrorMask = (error: unknown, message: string) => GraphQLError;

/** Known failures get their code, errors of GraphQL keep their message, and faults go to `onFault`. */
export function createErrorMask(onFault: (fault: unknown) => void): ErrorMask {
  return (error, message) => {
    const cause = causeOf(error);
    // An error that no field has thrown has no place in the document.
    const placed = error instanceof GraphQLError ? error : new GraphQLError(message);
    if (cause instanceof UpstreamError) {
      const extensions = { code: cause.code, ...cause.details };
      return relocated(placed, { message: cause.message, extensions });
    }
    if (cause instanceof InputError)
      return relocated(placed, { message: cause.message, extensions: { code: 'BAD_USER_INPUT' } });
    if (cause instanceof GraphQLError)
      return relocated(placed, { extensions: maskedExtensions(cause, placed.path !== undefined) });
    onFault(cause);
    // `unexpected` is Yoga's mark: a response without data gets status 500. Yoga does not send it.
    return relocated(placed, { message, extensions: { code: 'INTERNAL_SERVER_ERROR', unexpected: true } });
  };
}

/** The error that was thrown: graphql-js wraps it to add the path and the locations of the field. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? causeOf(error.originalError) : error;
}

function maskedExtensions(error: GraphQLError, isOfField: boolean): Record<string, unknown> {
  const { code, upstreamCalls, resources, limit, http } = error.extensions;
  // graphql-js sets no code if it cannot coerce a value: that of a field costs that field, a variable the whole request.
  if (code === undefined) return { code: 'BAD_USER_INPUT', ...(!isOfField && { http: { status: 422 } }) };
  // Yoga's codes beyond the list are all faults of the request.
  const known = errorCodes.find((listed) => listed === code) ?? 'BAD_REQUEST';
  return { code: known, upstreamCalls, resources, limit, http };
}
