import type { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { PipelineCore } from '../../composition.ts';
import type { Gauge } from '../../observers/gauges.ts';
import type { FindDocument } from '../../operation/document.ts';
import type { KeyHolder } from '../../rest/caller.ts';
import { ignoreRequestError, overloaded, retryLater } from '../../schema/errors.ts';
import type { ExecuteLive } from './execution.ts';
import { createExecutionQueue } from './execution-queue.ts';
import { Group, type StreamSink } from './group.ts';
import type { KeyPolls, Polls } from './key-polls.ts';
import type { LiveOperation, ReadLiveOperation } from './operation.ts';
import type { LiveSettings } from './settings.ts';

/** Different live queries of one key: a change may execute each of them. */
const MAX_GROUPS_PER_KEY = 100;

interface LiveOptions extends Pick<PipelineCore, 'findDocument' | 'maxUpstreamCalls'> {
  polls: Polls;
  live: LiveSettings;
  readOperation: ReadLiveOperation;
  execute: ExecuteLive;
}

export type Live = ReturnType<typeof createLive>;

/**
 * Live queries: operations that are executed again when the data changes, on polls that their streams share.
 * A lane of its own beside the fast path: requests that any phase would reject take the full pipeline, which
 * reports why.
 */
export function createLive(options: LiveOptions) {
  const { polls, live, findDocument, readOperation, execute } = options;
  /** Those with open streams, by the digest of the key. */
  const keys = new Map<string, LiveKey>();
  let events = 0;

  const sumOf = (numberOf: (key: LiveKey) => number) =>
    [...keys.values()].reduce((sum, key) => sum + numberOf(key), 0);

  /** The group of this operation and key; the error if there is no room for another stream. */
  function groupOf(operation: LiveOperation, keyHash: string, key: LiveKey): Group | GraphQLError {
    const { maxStreams, maxGroupsPerKey = MAX_GROUPS_PER_KEY } = live;
    const { groups, polls, enqueue } = key;
    const free = maxStreams - sumOf(streamsOf);
    const own = streamsOf(key);
    if (free <= 0) return overloaded();
    // A dynamic threshold: a key takes at most half of what the others leave.
    if (own >= free) return tooMany(`${own} streams open, its share at the moment`);
    const known = groups.get(operation.id);
    if (known) return known;
    if (groups.size >= maxGroupsPerKey)
      return tooMany(`${maxGroupsPerKey} different live queries open, the limit`);
    const error = polls.memory.replace(0, operation.bytes);
    if (error) return error;
    const group = new Group({
      ...{ operation, execute, polls, enqueue, maxPolls: options.maxUpstreamCalls },
      onSent: (sent) => {
        events += sent;
      },
      onEnd: () => {
        groups.delete(operation.id);
        polls.memory.replace(operation.bytes, 0);
        if (groups.size === 0) keys.delete(keyHash);
      },
    });
    groups.set(operation.id, group);
    return group;
  }

  const gauge = (name: string, help: string, read: () => number): Gauge => ({
    name: `portico_live_${name}`,
    help,
    read,
  });
  const { counters, memory } = polls;

  return {
    /** The live operation of a request; undefined for every other request, and for one to be rejected. */
    find(params: GraphQLParams, request: Parameters<FindDocument>[1] = {}): LiveOperation | undefined {
      const found = findDocument(params, request);
      try {
        return found && readOperation(found.document, params.operationName, params.variables);
      } catch (error) {
        return ignoreRequestError(error);
      }
    },

    /** Opens a stream. The returned function ends it. */
    open(operation: LiveOperation, key: KeyHolder, subscriber: StreamSink): () => void {
      const { keyHash } = key;
      // A key is forgotten with its last stream.
      const ofKey = keys.get(keyHash) ?? {
        polls: polls.ofKey(key),
        groups: new Map(),
        enqueue: createExecutionQueue(),
      };
      const group = groupOf(operation, keyHash, ofKey);
      if (!(group instanceof Group)) {
        subscriber.onRejected(group);
        return () => {};
      }
      keys.set(keyHash, ofKey);
      group.join(subscriber);
      return () => group.leave(subscriber);
    },

    gauges: [
      gauge('streams', 'Open streams of live queries', () => sumOf(streamsOf)),
      gauge('groups', 'Different live queries: streams of one key with equal operations are one', () =>
        sumOf(({ groups }) => groups.size),
      ),
      gauge('polls', 'Sites and conversations that are polled, by key', () =>
        sumOf(({ polls }) => polls.size),
      ),
      gauge('kept_bytes', 'Bodies, results and operations that live queries keep', () => memory.used),
      gauge('poll_requests_total', 'REST calls that polls sent', () => counters.requests),
      gauge('events_total', 'Results that were sent, one for each stream', () => events),
    ],
  };
}

/** A key with open streams. */
interface LiveKey {
  polls: KeyPolls;
  /** By the id of their operation. */
  groups: Map<string, Group>;
  enqueue(run: () => void): void;
}

function streamsOf({ groups }: LiveKey): number {
  return [...groups.values()].reduce((sum, { size }) => sum + size, 0);
}

function tooMany(what: string): GraphQLError {
  return retryLater(`This key has ${what}. Close some of them.`);
}
