import type { GraphQLError } from 'graphql';
import { UpstreamPollLimit } from '../../rest/errors.ts';
import { failedRequest, retryLater } from '../../schema/errors.ts';

/** The key has as many streams as it may. */
export function tooManyLiveQueries(limit: number): GraphQLError {
  return retryLater(`This key has ${limit} different live queries open, the limit. Close some of them.`);
}

/** The key has as many streams as are left for all keys. */
export function tooManyStreams(count: number): GraphQLError {
  return retryLater(`This key has ${count} streams open, its share at the moment. Close some of them.`);
}

/** The live queries of the key keep as many bytes as they may. */
export function tooManyLiveBytes(limit: number): GraphQLError {
  return failedRequest(422, new UpstreamPollLimit(limit, 'bytes'));
}
