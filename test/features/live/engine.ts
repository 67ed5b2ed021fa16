import { type ExecutionResult, execute, parse } from 'graphql';
import { onTestFinished, vi } from 'vitest';
import { withLiveQueries } from '../../../src/features/live/schema.ts';
import { composition, operationParts } from '../../../src/features.ts';
import type { LaneRequest } from '../../../src/http/lanes.ts';
import { createPipeline } from '../../../src/operation/pipeline.ts';
import { Aborter } from '../../../src/rest/abort.ts';
import type { UpstreamResponse } from '../../../src/rest/call.ts';
import { apiKeyOf, type Caller } from '../../../src/rest/caller.ts';
import type { UpstreamClient } from '../../../src/rest/client.ts';
import {
  UpstreamForbidden,
  UpstreamRateLimited,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../../src/rest/errors.ts';
import { contextTarget, SiteTarget, type Target } from '../../../src/rest/targets.ts';
import { createErrorMask } from '../../../src/schema/error-mask.ts';
import { schema } from '../../../src/schema/index.ts';
import { createInput } from '../../../src/schema/input.ts';
import { OperationCalls } from '../../../src/schema/loaders.ts';
import { ResponseBudget } from '../../../src/schema/response-budget.ts';
import { deepFreeze } from '../../support/freeze.ts';
import { type TestSettings, testConfig } from '../../support/gateway.ts';
import { responseOf } from '../../support/response.ts';

/** The reply of the REST API to one call: a body, a status, or a failure. */
export type ScriptedResponse =
  | { json: unknown; headers?: Record<string, string> }
  | { status: 404 | 403 | 500 }
  | { status: 429; retryAfter?: number }
  | 'timeout';

export type Respond = (path: string, key: string) => ScriptedResponse;

export interface RecordedStream {
  events: ExecutionResult[];
  texts: string[];
  isComplete: boolean;
  /** The latest heartbeat. */
  heartbeat: { ageSeconds: number; intervals: number } | undefined;
  rejection: string | undefined;
  leave(): void;
}

interface Call {
  path: string;
  key: string;
  atMs: number;
}

/** Longer than any time limit. */
const LONGEST_MS = 600_000;

/** Fakes timers and clocks until the end of the test; ticks of the event loop stay real. */
export function useFakeTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
  onTestFinished(() => {
    // Later tests in this process need real ones.
    endDeadlines();
    vi.useRealTimers();
  });
}

/** Lets all deadlines end: they share timers, which go on if the last deadline is cleared. */
export function endDeadlines(): void {
  vi.advanceTimersByTime(LONGEST_MS);
}

/** Lets the ticks of the event loop pass that no timer delays. */
export async function settle(ticks = 20): Promise<void> {
  for (let n = 0; n < ticks; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Advances the fake time. What a timer begins ends before the next one, in ticks of the event loop: the
 * asynchronous methods of `vi` wait for a real timer at each step, which a busy machine delays.
 */
export async function advance(ms: number): Promise<void> {
  await settle();
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, ms);
  while (!isOver) {
    vi.advanceTimersToNextTimer();
    await settle();
  }
}

/** Live queries without HTTP on either side, on fake time. */
export function createEngine(respond: Respond, env: TestSettings = {}, latencyOf = (_path: string) => 0) {
  const config = testConfig({ LIVE: 'on', LIVE_INTERVAL_S: '1', LIVE_CALLS_PER_MINUTE: '100000', ...env });
  const { readNotices } = composition.compose(config, () => {}).upstream;
  if (!config.live) throw new Error('LIVE is on');
  const calls: Call[] = [];
  const faults: unknown[] = [];

  async function call(caller: Caller, target: Target): Promise<UpstreamResponse> {
    const latencyMs = latencyOf(target.path);
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    else await Promise.resolve();
    const response = respond(target.path, caller.key.text);
    const done = (status: number, retryAfter?: number) =>
      caller.report?.(
        {
          method: 'GET',
          path: target.path,
          status,
          durationMs: 0,
          source: 'network',
          ...(retryAfter !== undefined && { retryAfter }),
        },
        performance.now(),
      );
    if (response === 'timeout') throw new UpstreamTimeout(10);
    if ('status' in response) {
      done(response.status, response.status === 429 ? response.retryAfter : undefined);
      if (response.status === 403) throw new UpstreamForbidden();
      if (response.status === 429) throw new UpstreamRateLimited(response.retryAfter);
      if (response.status === 500) throw new UpstreamUnavailable(500);
      return decodedFrom(target, 404, '', {});
    }
    done(200);
    const { json, headers = {} } = response;
    const complete = decodedFrom(target, 200, JSON.stringify(json), headers);
    const notices = readNotices?.(complete);
    if (notices) caller.onNotices?.(notices);
    return complete;
  }

  const input = createInput(config);
  const parts: Partial<ReturnType<typeof operationParts>> = {};
  const pipeline = createPipeline({
    ...config,
    schema: withLiveQueries(schema),
    mask: createErrorMask((fault) => faults.push(fault)),
    request({ caller, target }) {
      calls.push({ path: target.path, key: caller.key.text, atMs: performance.now() });
      return call(caller, target);
    },
    operationParts: (core) => Object.assign(parts, operationParts(core, config)),
  });
  const [lane] = parts.lanes ?? [];
  if (!lane) throw new Error('LIVE is on');

  function open(query: string, variables: Record<string, unknown> = {}, key = 'key-1'): RecordedStream {
    const disconnected = new Aborter();
    const stream: RecordedStream = {
      events: [],
      texts: [],
      isComplete: false,
      heartbeat: undefined,
      rejection: undefined,
      leave: () => disconnected.abort(() => new Error('The client has left.')),
    };
    const record = (written: unknown) => {
      for (const part of String(written).split('\n\n')) {
        const [, age] = /^:(\{.*)/.exec(part) ?? [];
        const [, text] = /^event: next\ndata: (.*)/s.exec(part) ?? [];
        if (age) stream.heartbeat = JSON.parse(age);
        if (text) {
          stream.texts.push(text);
          stream.events.push(JSON.parse(text));
        }
        if (part.startsWith('event: complete')) stream.isComplete = true;
      }
    };
    const res = {
      ...{ draining: new Aborter(), disconnected, writeHead() {}, end: record },
      write(bytes: unknown, onWritten: () => void) {
        record(bytes);
        onWritten();
      },
    };
    const req = { headers: { accept: 'text/event-stream' } };
    const request = { req, res, key: apiKeyOf(key), finish() {} } as unknown as LaneRequest;
    lane?.(request, { query, variables }, (rejection) => {
      if (!rejection) throw new Error(`rejected: ${query}`);
      stream.rejection = String(rejection.extensions.code);
    });
    // Polls that go on would fire their timers in the fake time of later tests.
    onTestFinished(stream.leave);
    return stream;
  }

  /** The result of a query now, through the loaders of queries. */
  async function query(text: string, key = 'key-1'): Promise<ExecutionResult> {
    const caller: Caller = { key: apiKeyOf(key), signal: new AbortController().signal };
    const get = async (target: Target) => {
      const { status, body } = await call(caller, target);
      return status === 404 ? null : target.fromJson(JSON.parse(String(body)), () => {});
    };
    const client = {
      getSite: (_, id, include) => get(new SiteTarget(id, include)),
      getConversationContext: (_, id) => get(contextTarget(id)),
    } as Partial<UpstreamClient> as UpstreamClient;
    const loaders = new OperationCalls(client, caller, config.maxUpstreamCalls);
    const response = new ResponseBudget(config);
    return execute({ schema, document: parse(text), contextValue: { loaders, input, response } });
  }

  /** The gauges by their names, without the prefix. */
  const stats = (): Record<string, number> =>
    Object.fromEntries(
      (parts.gauges ?? []).map(({ name, read }) => [name.replace('portico_live_', ''), Number(read())]),
    );

  return { open, query, calls, stats, pipeline, faults };
}

function decodedFrom(target: Target, status: number, body: string, headers: Record<string, string>) {
  // Frozen: it is shared by all executions.
  const resource = status === 404 ? null : deepFreeze(target.fromJson(JSON.parse(body), () => {}));
  const sentPath = target.path;
  return { ...responseOf(status, body, headers), sentPath, isCounted: true, isStored: true, resource };
}
