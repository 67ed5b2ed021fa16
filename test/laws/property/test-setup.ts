import type fc from 'fast-check';
import type { UpstreamClient } from '../../../src/rest/client.ts';
import { startClient } from '../../support/client.ts';
import type { Relation } from '../../support/contract.ts';
import { deepFreeze } from '../../support/freeze.ts';
import { postForParts } from '../../support/incremental.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { scaled } from '../../support/scale.ts';
import { startDocuments } from '../../support/upstreams/documents.ts';
import type { Operation } from './operation.ts';

/** One call for a resource, in ticks of the operation's pace. */
export interface Call {
  resource: 'site' | 'conversation' | 'health';
  id: string;
  include: readonly Relation[];
  sentAt: number;
  endedAt: number;
}

export interface Cost {
  calls: readonly Call[];
  paths: string[];
}

const LONGEST_RUN_MS = 300_000;
export const timeout = LONGEST_RUN_MS + 60_000;
export const numRuns = scaled(40);

/** How many operations a run draws, and how long it may take, shrinking included. */
export const parameters: fc.Parameters<unknown> = {
  numRuns,
  interruptAfterTimeLimit: LONGEST_RUN_MS,
  markInterruptAsFailure: true,
};

/** Random operations exceed the default limits, which other tests cover. */
export const boundless = {
  FEDERATION: 'on',
  maxBodyBytes: 10_000_000,
  characters: 10_000_000,
  tokens: 1_000_000,
  depth: 1000,
  selections: 10_000_000,
  MAX_UPSTREAM_CALLS: '10000',
  maxResources: 1_000_000,
  maxValues: 1_000_000_000,
  maxErrors: 100_000,
};

/** A gateway in front of the documents, both over HTTP, that executes one operation at a time. */
export async function startTestSetup() {
  const upstream = await startDocuments();
  const client = startClient(upstream.url, boundless);
  const calls: Call[] = [];
  let pace: Pace = createPace([0]);
  const { url } = await startPipeline(
    recorded(client, calls, () => pace),
    boundless,
  );
  return {
    /** The response, and what the operation cost. */
    async post({ text, variables, order }: Operation, accept: string) {
      upstream.requests.length = 0;
      calls.length = 0;
      pace = createPace(order);
      const response = await postForParts(url, text, { variables, accept });
      return { ...response, cost: { calls, paths: upstream.paths() } satisfies Cost };
    },
  };
}

/** The same client with recorded calls, whose responses pass in the order of the test. */
function recorded(client: UpstreamClient, calls: Call[], paceNow: () => Pace): UpstreamClient {
  const pass = <T>(
    target: Pick<Call, 'resource' | 'id' | 'include'>,
    respond: () => Promise<T>,
  ): Promise<T> => {
    const pace = paceNow();
    const call: Call = { ...target, sentAt: pace.tick(), endedAt: Number.POSITIVE_INFINITY };
    calls.push(call);
    // Nothing writes to a resource, which several operations may share.
    const passed = pace
      .pass(async () => deepFreeze(await respond()))
      .finally(() => {
        call.endedAt = pace.tick();
      });
    // The checks of the calls find one that is not awaited; its failure must not end the process.
    passed.catch(() => {});
    return passed;
  };
  return {
    ...client,
    getSite: (caller, id, include) =>
      pass({ resource: 'site', id, include }, () => client.getSite(caller, id, include)),
    getConversationContext: (caller, id) =>
      pass({ resource: 'conversation', id, include: [] }, () => client.getConversationContext(caller, id)),
    getHealth: (caller) => pass({ resource: 'health', id: '', include: [] }, () => client.getHealth(caller)),
  };
}

/**
 * Passes the responses of the upstream to the gateway one at a time, in an order that the test chooses, and
 * the next only when the gateway is idle. So "one tick" has an exact meaning, the time from one response to
 * the next, and every run of the same operation is the same.
 */
interface Pace {
  /** How many responses the gateway has received. */
  tick(): number;
  /** Passes the response of `call` when the order reaches it. */
  pass<T>(call: () => Promise<T>): Promise<T>;
}

function createPace(order: readonly number[]): Pace {
  const arrived: (() => void)[] = [];
  let underWay = 0;
  let tick = 0;

  const handOver = () => {
    if (underWay > 0 || arrived.length === 0) return;
    const [next] = arrived.splice((order[tick % order.length] ?? 0) % arrived.length, 1);
    tick += 1;
    next?.();
    setImmediate(handOver);
  };

  return {
    tick: () => tick,
    async pass(call) {
      underWay += 1;
      const [settled] = await Promise.allSettled([call()]);
      await new Promise<void>((resolve) => {
        arrived.push(resolve);
        underWay -= 1;
        if (underWay === 0) setImmediate(handOver);
      });
      if (settled.status === 'rejected') throw settled.reason;
      return settled.value;
    },
  };
}
