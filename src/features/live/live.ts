import type { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { PipelineCore } from '../../composition.ts';
import type { Lane, LaneRequest } from '../../http/lanes.ts';
import type { Gauge } from '../../observers/gauges.ts';
import type { ApiKey } from '../../rest/caller.ts';
import { ignoreRequestError, overloaded, retryLater, shuttingDown } from '../../schema/errors.ts';
import { located } from '../../schema/locations.ts';
import type { ExecuteLive } from './execution.ts';
import { Group } from './group.ts';
import { KeyPolls, type SendPoll } from './key-polls.ts';
import type { LiveOperation, ReadLiveOperation } from './operation.ts';
import type { LiveSettings } from './settings.ts';
import { LiveStream, streamTypeOf } from './stream.ts';

interface LiveOptions extends Pick<PipelineCore, 'findDocument' | 'maxUpstreamCalls'> {
  live: LiveSettings;
  send: SendPoll;
  readOperation: ReadLiveOperation;
  execute: ExecuteLive;
}

interface LiveKey {
  polls: KeyPolls;
  /** By the id of their operation. */
  groups: Map<string, Group>;
}

/** The lane of live queries. Requests that any phase would reject take the full pipeline, which reports why. */
export function createLive(options: LiveOptions) {
  const { live, send, findDocument, readOperation, execute } = options;
  const counts = { calls: 0, events: 0, bytes: 0 };
  /** By the digest of the key; it is forgotten with its last stream. */
  const keys = new Map<string, LiveKey>();

  const sumOf = (numberOf: (key: LiveKey) => number) =>
    [...keys.values()].reduce((sum, key) => sum + numberOf(key), 0);

  /** The live operation of a request; undefined for every other request, and for one to be rejected. */
  function find(params: GraphQLParams, request: LaneRequest): LiveOperation | undefined {
    const found = findDocument(params, request);
    try {
      return found && readOperation(located(found.document), params.operationName, params.variables);
    } catch (error) {
      return ignoreRequestError(error);
    }
  }

  /** The group of this operation and key; the error if there is no room for another stream. */
  function groupOf(operation: LiveOperation, key: ApiKey): Group | GraphQLError {
    const ofKey = keys.get(key.hash) ?? {
      polls: new KeyPolls(key, send, counts, live),
      groups: new Map(),
    };
    const { groups, polls } = ofKey;
    const free = live.maxStreams - sumOf(streamsOf);
    const own = streamsOf(ofKey);
    if (free <= 0) return overloaded();
    // A dynamic threshold: a key takes at most half of what the others leave.
    if (own >= free) return tooMany(`${own} streams open, its share at the moment`);
    const known = groups.get(operation.id);
    if (known) return known;
    if (groups.size >= live.maxGroupsPerKey)
      return tooMany(`${groups.size} different live queries open, the limit`);
    const onEnd = () => {
      groups.delete(operation.id);
      if (groups.size === 0) keys.delete(key.hash);
    };
    const group = new Group({ operation, execute, polls, maxPolls: options.maxUpstreamCalls, onEnd });
    groups.set(operation.id, group);
    keys.set(key.hash, ofKey);
    return group;
  }

  const lane: Lane = (request, params, next) => {
    const { req, res, key } = request;
    const type = streamTypeOf(req.headers.accept);
    const operation = type && find(params, request);
    if (!operation) return next();
    if (res.draining.aborted) return next(shuttingDown());
    const group = groupOf(operation, key);
    if (!(group instanceof Group)) return next(group);
    const stream = new LiveStream(request, next, type, group);
    group.join(stream);
    const close = () => {
      stream.close();
      group.leave(stream);
    };
    if (res.disconnected.aborted) close();
    else res.disconnected.addEventListener('abort', close);
  };

  const gauges: [name: string, help: string, read: () => number][] = [
    ['streams', 'Open streams of live queries', () => sumOf(streamsOf)],
    [
      'groups',
      'Different live queries: streams of one key with equal operations are one',
      () => sumOf(({ groups }) => groups.size),
    ],
    ['polls', 'Sites and conversations that are polled, by key', () => sumOf(({ polls }) => polls.size)],
    ['kept_bytes', 'Bodies, results and operations that live queries keep', () => counts.bytes],
    ['poll_requests_total', 'REST calls that polls sent', () => counts.calls],
    ['events_total', 'Results that were sent, one for each stream', () => counts.events],
  ];
  return {
    lane,
    gauges: gauges.map(([name, help, read]): Gauge => ({ name: `portico_live_${name}`, help, read })),
  };
}

function streamsOf({ groups }: LiveKey): number {
  return [...groups.values()].reduce((sum, { size }) => sum + size, 0);
}

function tooMany(what: string): GraphQLError {
  return retryLater(`This key has ${what}. Close some of them.`);
}
