import { expect, onTestFinished } from 'vitest';
import { startGateway, type TestSettings } from '../../support/gateway.ts';
import type { RawResponse } from '../../support/raw-responses.ts';
import { scale } from '../../support/scale.ts';
import { type Connection, openConnection } from './connection.ts';
import { type Case, post, withFreshKey } from './requests.ts';
import { differenceOf, type Transcript, transcriptOf } from './transcript.ts';
import { type Replies, startPacedUpstream, replies as usualReplies } from './upstream.ts';

/** Settings without what differs by chance (the pause before a retry) or by time (probes of a breaker). */
const steady = { retryPercent: 0, minFailures: 1_000_000 };

/** One of the two gateways, with its upstream. */
type Side = Awaited<ReturnType<typeof openSide>>;

export interface Comparison {
  /** Sends the cases in order to both gateways, repeatedly, over persistent and new connections. */
  send(...cases: readonly Case[]): Promise<void>;
  /** Expects no difference since the last call. */
  expectSameAnswers(): void;
  /** The same, and equal drift and faults of the upstreams. */
  expectSame(): void;
  /** How many requests the fast path may have answered: those that were sent before. */
  eligible(): number;
  sides: { fast: Side; full: Side };
}

interface ComparisonOptions {
  replies?: Replies;
  /** Other settings of the gateway without the fast path: for a comparison that must fail. */
  otherwise?: TestSettings;
}

/** How often a case is sent at most: the fast path takes operations that it has seen before. */
const TIMES = 3;

const SHOWN = 10;

/** Sites that respond differently to a key that requested them before. */
const leavesTraces = /SITE-(wait|o\d)/;

const well = post({ query: '{ site(id: "SITE-1") { id city } }' }, {}, 'a valid request');

/** Two gateways with one configuration, with and without the fast path, each with its own upstream. */
export async function startComparison(
  env: TestSettings = {},
  { replies = usualReplies, otherwise = {} }: ComparisonOptions = {},
): Promise<Comparison> {
  const fast = await openSide(replies, { ...steady, ...env });
  const full = await openSide(replies, { ...steady, ...env, ...otherwise, compiledBytes: 0 });
  const differences: string[] = [];
  let eligible = 0;
  let failures = 0;

  async function send(one: Case, isFresh: boolean, isAgain: boolean): Promise<void> {
    const [ofFast, ofFull] = await Promise.all([sendTo(fast, one, isFresh), sendTo(full, one, isFresh)]);
    if (isAgain) eligible += ofFull.responses.filter((answer) => isEligible(one, answer)).length;
    const difference = differenceOf(ofFast.transcript, ofFull.transcript);
    if (difference !== undefined) differences.push(`${one.name}\n  ${difference}`);
  }

  const expectSameAnswers = () => {
    const found = differences.splice(0);
    expect(found.slice(0, SHOWN), `${found.length} differ`).toEqual([]);
  };

  return {
    async send(...cases) {
      const sent = cases.map((one) => (leavesTraces.test(one.wire) ? withFreshKey(one) : one));
      const before = eligible;
      for (let time = 0; time < TIMES; time += 1) {
        for (const one of sent) await send(one, time === 0, time > 0);
        // The fast path takes none of these: two rounds show that.
        if (time === 1 && eligible === before) break;
      }
      // A valid request in between, so that failures affect no later case, and no breaker opens.
      if (eligible === before && ++failures % 3 === 0) await send(well, false, true);
    },
    expectSameAnswers,
    expectSame() {
      expectSameAnswers();
      expect(fast.drift()).toEqual(full.drift());
      expect(fast.lines.filter(isFault)).toEqual(full.lines.filter(isFault));
    },
    eligible: () => eligible,
    sides: { fast, full },
  };
}

async function openSide(replies: Replies, env: TestSettings) {
  const upstream = await startPacedUpstream(replies);
  const gateway = await startGateway(upstream.url, env);
  let persistent: Connection | undefined;
  onTestFinished(() => persistent?.close());
  return {
    ...gateway,
    takeCalls: upstream.takeCalls,
    /** The persistent connection; a new one when that has closed. */
    async persistentConnection(): Promise<Connection> {
      if (!persistent?.isOpen) persistent = await openConnection(gateway.origin);
      return persistent;
    },
  };
}

interface SentCase {
  transcript: Transcript;
  responses: RawResponse[];
}

async function sendTo(
  side: Side,
  { name, wire, responses, pieces }: Case,
  isFresh: boolean,
): Promise<SentCase> {
  const connection = isFresh ? await openConnection(side.origin) : await side.persistentConnection();
  const exchange = await connection.exchange(wire, responses, pieces).catch((cause: unknown) => {
    throw new Error(name, { cause });
  });
  if (isFresh) connection.close();
  return { transcript: transcriptOf(exchange, side.takeCalls()), responses: exchange.responses };
}

/** Whether the fast path may take it: a JSON request, and a JSON response without errors. */
function isEligible({ wire }: Case, { status, body, fields }: RawResponse): boolean {
  return (
    wire.startsWith('POST /graphql HTTP/1.1') &&
    status === 200 &&
    fields.get('content-type') === 'application/json; charset=utf-8' &&
    !/"errors":\[\{"message"|"extensions":\{"stale"/.test(body)
  );
}

function isFault(line: string): boolean {
  return line.startsWith('fault');
}

/** The time limit of a test that sends a part of the corpus. */
export const timeout = 600_000;

/** The quick run sends every tenth request, and of these a share is for the fast path. */
const [STEP, SHARE] = scale > 1 ? [1, 1] : [10, 0.05];

/** Expects equal responses with and without the fast path, which may take `atLeastEligible` of the cases. */
export async function expectSame(
  cases: readonly Case[],
  atLeastEligible: number,
  env: TestSettings = {},
): Promise<void> {
  const comparison = await startComparison(env);
  for (const one of cases.filter((_, n) => n % STEP === 0)) await comparison.send(one);
  comparison.expectSame();
  expect(comparison.eligible()).toBeGreaterThanOrEqual(atLeastEligible * SHARE);
  // Of a few cases, all may need the full pipeline: errors, and x-explain.
  if (atLeastEligible >= 100)
    expect(comparison.sides.fast.gauge('portico_fast_path_operations_total')).toBeGreaterThan(0);
}
