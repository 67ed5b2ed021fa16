import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import { overloaded, tooManyStreams } from '../../errors.ts';
import type { KeyHolder } from '../../upstream/caller.ts';
import type { PollStats, Polls } from '../../upstream/polls/polls.ts';
import type { FindValidDocument } from '../document/valid-document.ts';
import { areWellTyped } from '../fast-path.ts';
import { type StreamType, streamTypeOf } from '../response/accept.ts';
import { createExecutionQueue } from './execution-queue.ts';
import { Group, type Subscriber } from './group.ts';
import { KeyStreams } from './key-streams.ts';
import type { ExecuteLive } from './live-execution.ts';
import { intervalMsOf, type LiveOperation, type ReadLiveOperation } from './live-operation.ts';

/**
 * Live queries: operations that are executed again when the data changes, on polls that their streams share. A lane of its own
 * beside the fast path: requests that any phase would refuse take the full pipeline, which reports why.
 */
export interface Live {
  /** The media type of a stream for a POST with these header fields; undefined where the full pipeline is needed. */
  typeOf(headers: IncomingHttpHeaders): StreamType | undefined;
  /** The live operation that a request is for; undefined for every other one, and for one that is to be refused. */
  find(params: GraphQLParams): LiveOperation | undefined;
  /**
   * Opens a stream. Call what it returns when the stream is gone: it returns how many polls of its resources there were, which
   * other streams share.
   */
  open(operation: LiveOperation, key: KeyHolder, subscriber: Subscriber): () => number;
  stats(): LiveStats;
}

/** The state of the live queries at one moment, and what they have done so far. */
export interface LiveStats extends PollStats {
  streams: number;
  groups: number;
  /** How many events were sent, one for each stream. */
  events: number;
}

export type LiveSettings = NonNullable<Config['live']> & { maxStreamsPerKey?: number };

/** Open streams of one key: a tenth of `LIVE_MAX_STREAMS` by default. */
const MAX_STREAMS_PER_KEY = 100;

export interface LiveOptions {
  polls: Polls;
  settings: LiveSettings;
  /** How many resources one operation may read. */
  maxUpstreamCalls: number;
  operationTimeoutMs: number;
  findDocument: FindValidDocument;
  readOperation: ReadLiveOperation;
  execute: ExecuteLive;
}

export function createLive(options: LiveOptions): Live {
  const { polls, settings, findDocument, readOperation, execute } = options;
  const enqueue = createExecutionQueue();
  const groups = new Map<string, Group>();
  /** By the digest of the key. */
  const keys = new Map<string, KeyStreams>();
  let streams = 0;
  let events = 0;

  /** What the key has open; it is forgotten with its last stream. */
  function streamsOf(keyHash: string): KeyStreams {
    return keys.get(keyHash) ?? new KeyStreams(polls.memory.ofKey(keyHash));
  }

  /** The group of this operation and key. @throws a GraphQLError where there is no room for another stream */
  function groupOf(operation: LiveOperation, key: KeyHolder, ofKey: KeyStreams): Group {
    const { maxStreams, maxStreamsPerKey = MAX_STREAMS_PER_KEY } = settings;
    if (ofKey.count >= maxStreamsPerKey) throw tooManyStreams(maxStreamsPerKey);
    if (streams >= maxStreams) throw overloaded();
    // A digest has one length: no two of these pairs give one name.
    const name = key.keyHash + operation.id;
    const known = groups.get(name);
    if (known) return known;
    ofKey.hold(operation);
    const everyMs = intervalMsOf(operation, settings.intervalMs);
    const { fields } = operation;
    const { maxUpstreamCalls: maxPolls, operationTimeoutMs: timeoutMs } = options;
    const group = new Group({
      operation,
      execute,
      open: (isFirst, counter, onChange) =>
        polls.open(key, { everyMs, fields, isFirst, maxPolls, timeoutMs, counter, onChange }),
      enqueue: (run) => enqueue(key.keyHash, run),
      memory: ofKey.memory,
      onSent: (sent) => {
        events += sent;
      },
      onEnd: () => {
        groups.delete(name);
        ofKey.release(operation);
      },
    });
    groups.set(name, group);
    return group;
  }

  return {
    typeOf: (headers) => (headers['x-explain'] ? undefined : streamTypeOf(headers.accept)),

    find(params) {
      try {
        const document = areWellTyped(params) ? findDocument(params) : undefined;
        return document && readOperation(document, params.operationName, params.variables);
      } catch {
        return undefined;
      }
    },

    open(operation, key, subscriber) {
      const ofKey = streamsOf(key.keyHash);
      let group: Group;
      try {
        group = groupOf(operation, key, ofKey);
      } catch (error) {
        subscriber.onRefused(error as GraphQLError);
        return () => 0;
      }
      streams += 1;
      ofKey.count += 1;
      keys.set(key.keyHash, ofKey);
      const { counter } = group;
      const before = counter.polls;
      group.join(subscriber);
      let during: number | undefined;
      return () => {
        if (during !== undefined) return during;
        during = counter.polls - before;
        streams -= 1;
        ofKey.count -= 1;
        group.leave(subscriber);
        if (ofKey.count === 0) keys.delete(key.keyHash);
        return during;
      };
    },

    stats: () => ({ ...polls.stats(), streams, groups: groups.size, events }),
  };
}
