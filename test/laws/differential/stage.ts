import { expect, onTestFinished } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import type { RawAnswer } from '../../support/raw-answers.ts';
import { type Line, openLine } from './line.ts';
import { type Case, post, withFreshKey } from './requests.ts';
import { differenceOf, differInOrderAlone, type Transcript, transcriptOf } from './transcript.ts';
import { type Replies, startPacedUpstream, replies as usualReplies } from './upstream.ts';

/**
 * What two gateways that are to be compared must have alike and cannot by themselves: that nothing is left to chance
 * (the pause before a retry) and nothing to the clock (the probes of a breaker that is open).
 */
const steady = { RETRY_PERCENT: '0', BREAKER_FAILURE_PERCENT: '100', COMPILE_PERCENT: '100' };

/** One of the two gateways, with its upstream. */
type Side = Awaited<ReturnType<typeof openSide>>;

export interface Stage {
  /** Sends these in turn, again and again, to both, over connections that are kept and over fresh ones. */
  send(...cases: readonly Case[]): Promise<void>;
  /** Holds that nothing has differed since it was last asked. */
  expectSameAnswers(): void;
  /** The same, and that the two have noted the same of their upstreams. */
  expectSame(): void;
  /** How many requests the lane may have answered, from the second time on that one was sent. */
  eligible(): number;
  sides: { lane: Side; plain: Side };
}

interface StageOptions {
  replies?: Replies;
  /** What the gateway without the lane has otherwise: for a comparison that must fail. */
  otherwise?: NodeJS.ProcessEnv;
}

/** How often a case is sent at most: the lane takes what it has seen before. */
const TIMES = 3;

/** How many of the differences are shown. */
const SHOWN = 10;

/** Sites that are not the same to a key that has asked for them before. */
const leavesTraces = /SITE-(wait|o\d)/;

const well = post({ query: '{ site(id: "SITE-1") { id city } }' }, {}, 'a request that is well');

/** Two gateways with one configuration, one with the express lane and one without, each with an upstream of its own. */
export async function openStage(
  env: NodeJS.ProcessEnv = {},
  { replies = usualReplies, otherwise = {} }: StageOptions = {},
): Promise<Stage> {
  const lane = await openSide(replies, { ...steady, ...env });
  const plain = await openSide(replies, { ...steady, ...env, ...otherwise, COMPILED_BYTES: '0' });
  const differences: string[] = [];
  const reordered: string[] = [];
  let eligible = 0;
  let failures = 0;

  async function send(one: Case, isFresh: boolean, isAgain: boolean): Promise<void> {
    const [ofLane, ofPlain] = await Promise.all([ask(lane, one, isFresh), ask(plain, one, isFresh)]);
    if (isAgain) eligible += ofPlain.answers.filter((answer) => isEligible(one, answer)).length;
    const difference = differenceOf(ofLane.transcript, ofPlain.transcript);
    if (difference === undefined) return;
    const list = differInOrderAlone(ofLane.transcript, ofPlain.transcript) ? reordered : differences;
    list.push(`${one.name}\n  ${difference}`);
  }

  const expectSameAnswers = () => {
    const [differing, moved] = [differences.splice(0), reordered.splice(0)];
    expect(differing.slice(0, SHOWN), `${differing.length} differ`).toEqual([]);
    expect(moved.slice(0, SHOWN), `${moved.length} come in another order`).toEqual([]);
  };

  return {
    async send(...cases) {
      const sent = cases.map((one) => (leavesTraces.test(one.wire) ? withFreshKey(one) : one));
      const before = eligible;
      for (let time = 0; time < TIMES; time += 1) {
        for (const one of sent) await send(one, time === 0, time > 0);
        // Nothing of this is for the lane, and twice tells that.
        if (time === 1 && eligible === before) break;
      }
      // What failed must not have spoilt what comes, and no breaker may open.
      if (eligible === before && ++failures % 3 === 0) await send(well, false, true);
    },
    expectSameAnswers,
    expectSame() {
      expectSameAnswers();
      expect(lane.drift()).toEqual(plain.drift());
      expect(lane.lines.filter(isFault)).toEqual(plain.lines.filter(isFault));
    },
    eligible: () => eligible,
    sides: { lane, plain },
  };
}

async function openSide(replies: Replies, env: NodeJS.ProcessEnv) {
  const upstream = await startPacedUpstream(replies);
  const gateway = await startGateway(upstream.url, env);
  let kept: Line | undefined;
  onTestFinished(() => kept?.hangUp());
  return {
    ...gateway,
    takeCalls: upstream.takeCalls,
    nextHeld: upstream.nextHeld,
    /** The connection that is kept between requests; another one where that has ended. */
    async keptLine(): Promise<Line> {
      if (!kept?.isOpen) kept = await openLine(gateway.origin);
      return kept;
    },
  };
}

interface Asked {
  transcript: Transcript;
  answers: RawAnswer[];
}

async function ask(side: Side, { name, wire, answers, pieces }: Case, isFresh: boolean): Promise<Asked> {
  const line = isFresh ? await openLine(side.origin) : await side.keptLine();
  const said = await line.say(wire, answers, pieces).catch((cause: unknown) => {
    throw new Error(name, { cause });
  });
  if (isFresh) line.hangUp();
  return { transcript: transcriptOf(said, side.takeCalls()), answers: said.answers };
}

/** Whether it looks like what the lane is for: JSON in, JSON out, and all went well. */
function isEligible({ wire }: Case, { status, body, fields }: RawAnswer): boolean {
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
