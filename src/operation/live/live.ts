import type { IncomingHttpHeaders } from 'node:http';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { overloaded, tooManyStreams } from '../../errors.ts';
import type { KeyHolder } from '../../upstream/caller.ts';
import type { KeyMemory } from '../../upstream/polls/poll-state.ts';
import type { Polls } from '../../upstream/polls/polls.ts';
import { bytesOf, type FindDocument } from '../document.ts';
import { areWellTyped, type StreamType, streamTypeOf } from '../request.ts';
import type { ExecuteLive } from './execution.ts';
import { createExecutionQueue } from './execution-queue.ts';
import { Group, keep, type Subscriber } from './group.ts';
import type { LiveOperation, LiveSettings, ReadLiveOperation } from './operation.ts';

/** The state of the live queries at one moment, and what they have done so far. */
export type LiveStats = ReturnType<Live['stats']>;

/** Open streams of one key: a tenth of `LIVE_MAX_STREAMS` by default. */
const MAX_STREAMS_PER_KEY = 100;

interface LiveOptions {
  polls: Polls;
  live: LiveSettings;
  /** How many resources one operation may read. */
  maxUpstreamCalls: number;
  operationTimeoutMs: number;
  findDocument: FindDocument;
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
  const enqueue = createExecutionQueue();
  const groups = new Map<string, Group>();
  /** By the digest of the key. */
  const keys = new Map<string, KeyStreams>();
  let streams = 0;
  let events = 0;

  /** The group of this operation and key. @throws a GraphQLError where there is no room for another stream */
  function groupOf(operation: LiveOperation, key: KeyHolder, ofKey: KeyStreams): Group {
    const { maxStreams, maxStreamsPerKey = MAX_STREAMS_PER_KEY } = live;
    if (ofKey.count >= maxStreamsPerKey) throw tooManyStreams(maxStreamsPerKey);
    if (streams >= maxStreams) throw overloaded();
    // A digest has one length: no two of these pairs give one name.
    const name = key.keyHash + operation.id;
    const known = groups.get(name);
    if (known) return known;
    ofKey.hold(operation);
    const { fields, everyMs } = operation;
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
    /** The stream type for a POST with these header fields; undefined where the full pipeline is needed. */
    typeOf: (headers: IncomingHttpHeaders): StreamType | undefined =>
      headers['x-explain'] ? undefined : streamTypeOf(headers.accept),

    /** The live operation of a request; undefined for every other request, and for one to be rejected. */
    find(params: GraphQLParams): LiveOperation | undefined {
      try {
        const document = areWellTyped(params) ? findDocument(params) : undefined;
        return document && readOperation(document, params.operationName, params.variables);
      } catch {
        return undefined;
      }
    },

    /**
     * Opens a stream. Call what it returns when the stream is gone: it returns how many polls of its
     * resources there were, which other streams share.
     */
    open(operation: LiveOperation, key: KeyHolder, subscriber: Subscriber): () => number {
      // The streams of a key are forgotten with the last one.
      const ofKey = keys.get(key.keyHash) ?? new KeyStreams(polls.memory.ofKey(key.keyHash));
      let group: Group;
      try {
        group = groupOf(operation, key, ofKey);
      } catch (error) {
        subscriber.onRejected(error as GraphQLError);
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

    stats: () => ({
      ...polls.stats(),
      streams,
      groups: groups.size,
      /** How many events were sent, one for each stream. */
      events,
    }),
  };
}

/** The open streams of one key, and the operations that they hold in memory. */
class KeyStreams {
  readonly memory: KeyMemory;
  count = 0;
  /** How many groups hold each document. */
  readonly #holders = new Map<DocumentNode, number>();

  constructor(memory: KeyMemory) {
    this.memory = memory;
  }

  /** A document counts once for all its groups. @throws a GraphQLError where the operation has no room */
  hold({ query: { document }, variablesBytes }: LiveOperation): void {
    const holders = this.#holders.get(document) ?? 0;
    keep(this.memory, 0, variablesBytes + (holders === 0 ? bytesOf(document) : 0));
    this.#holders.set(document, holders + 1);
  }

  release({ query: { document }, variablesBytes }: LiveOperation): void {
    const holders = (this.#holders.get(document) ?? 1) - 1;
    this.memory.replace(variablesBytes + (holders === 0 ? bytesOf(document) : 0), 0);
    if (holders === 0) this.#holders.delete(document);
    else this.#holders.set(document, holders);
  }
}
