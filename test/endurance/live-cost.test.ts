import { expect, it, onTestFinished } from 'vitest';
import { plain } from '../support/attacks.ts';
import { startMeasuredGateway } from '../support/gateway-process.ts';
import { loadStreams } from '../support/live-load.ts';
import { scale } from '../support/scale.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

const SITES = 50;
/** The upper bounds of a change, in plain requests: of the executions, and for each megabyte of their results. */
const [EXECUTED, PER_MEGABYTE] = [300, 60];
const OPERATIONS = 100;
/** How many times the data changes, and during how many rounds of polls a change is seen and executed. */
const CHANGES = 2;
const ROUNDS = 2;

const ids = Array.from({ length: SITES }, (_, n) => `"SITE-${n}"`);
const selection = 'id city serviceLevel createdAt primaryClient { name } projects { name stage }';
const key = 'key-of-the-attacker';

/** The differences from the usual site, by the number of the change and of the response. */
type Change = (at: { turn: number; response: number }, id: string) => object;

/** A change of one site. */
function inOne(change: (turn: number) => object): Change {
  return ({ turn }, id) => (id === 'SITE-1' ? change(turn) : {});
}

/** Many of them, so that a response is large: 25 kB. */
const clients = Array.from({ length: 100 }, (_, n) => ({
  id: `C-${n}`,
  name: `Jane Doe ${n}`,
  firstName: 'Jane',
  partnerName: 'Acme',
  marketingOptOut: false,
  emails: [{ id: 'E-1', value: `jane${n}@example.com`, label: 'home', isPrimary: true }],
  phoneNumbers: [{ id: 'P-1', value: '+1 541 555 0100', label: 'home', isPrimary: true }],
}));
const projects = ['Heat pump', 'Roof', 'Garage'].map((name, n) => ({ id: `PR-${n}`, name, stage: 'SIGNED' }));

function siteOf(id: string) {
  return {
    ...bareSite(id),
    city: 'Bend',
    state: 'OR',
    zip: '97701',
    serviceLevel: 'Priority',
    createdAt: '2026-01-02T03:04:05Z',
    projects,
  };
}

/** A gateway with a hundred live operations of one key on fifty sites, whose data the test changes. */
async function start() {
  const state = { turn: 0, change: (() => ({})) as Change };
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    sendJson(res, {
      ...siteOf(id),
      clients,
      ...state.change({ turn: state.turn, response: upstream.requests.length }, id),
    });
  });
  const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1', LIVE_CALLS_PER_MINUTE: '100000' };
  const gateway = await startMeasuredGateway(upstream.url, plain, settings);
  const loads = Array.from({ length: OPERATIONS }, (_, n) => ({
    key,
    id: '',
    query: `subscription { live { sites(ids: [${ids}]) { ${selection} a${n}: zip } } }`,
  }));
  const streams = await loadStreams(gateway.url, loads);
  onTestFinished(() => {
    for (const stream of streams) stream.close();
  });
  const rounds = (count: number) => upstream.received(upstream.requests.length + count * SITES);
  /** Of the latest events together. */
  const megabytes = () => streams.reduce((sum, { latest }) => sum + latest.length, 0) / 1_000_000;
  const events = () => streams.reduce((sum, stream) => sum + stream.events, 0);
  /** Whether all streams have got the latest change. */
  const isSeen = () => streams.every(({ latest }) => latest.includes(`"city":"${state.turn}"`));

  /** CPU time while `run` runs, and polls. */
  async function measure(run: () => Promise<unknown>) {
    const before = await gateway.usage();
    const requests = upstream.requests.length;
    await run();
    const { cpuMs } = await gateway.usage();
    return { cpuMs: cpuMs - before.cpuMs, polls: upstream.requests.length - requests };
  }

  /** CPU time of a poll of data that stays as it is. */
  async function pollMs(): Promise<number> {
    state.change = () => ({});
    // Late events.
    await rounds(ROUNDS);
    const { cpuMs, polls } = await measure(() => rounds(CHANGES * ROUNDS));
    return cpuMs / polls;
  }

  /** The cost of one change in plain requests, without its polls; each stream gets `expected` events. */
  async function costOf(change: Change, expected: 0 | 1) {
    const allowed = EXECUTED + PER_MEGABYTE * megabytes();
    const turns = async () => {
      state.change = change;
      for (let n = 0; n < CHANGES; n += 1) {
        const before = events();
        state.turn += 1;
        await rounds(ROUNDS);
        while (expected > 0 && !isSeen()) await rounds(1 / SITES);
        // A client that reads late gets the latest event alone.
        expect(events() - before).toBeLessThanOrEqual(expected * OPERATIONS);
      }
      // Late events.
      await rounds(ROUNDS);
    };
    // The operations are compiled meanwhile.
    await turns();
    // The least of up to six, each compared with polls just before it: a busy machine makes both cost more.
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 6 && least >= allowed; n += 1) {
      const ofPoll = await pollMs();
      const { cpuMs, polls } = await measure(turns);
      least = Math.min(least, (cpuMs - ofPoll * polls) / CHANGES / gateway.plainCpuMs);
    }
    return { least, allowed };
  }

  return costOf;
}

it('executes each operation once for a change, and sends an event only if it selects what has changed', {
  timeout: 900_000,
}, async () => {
  const costOf = await start();
  const renamed = (turn: number) => clients.map((one) => ({ ...one, partnerName: `${turn}` }));
  const costs = {
    unselected: await costOf(
      inOne((turn) => ({ clients: renamed(turn) })),
      0,
    ),
    selected: await costOf(
      inOne((turn) => ({ city: `${turn}` })),
      1,
    ),
  };
  if (scale > 1) console.log(costs);
  for (const { least, allowed } of Object.values(costs)) expect(least).toBeLessThan(allowed);
});
