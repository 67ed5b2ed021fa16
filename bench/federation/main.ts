import { parseArgs } from 'node:util';
import { respond } from '../calls/dashboards.ts';
import { portico } from '../contenders/portico.ts';
import { siteIdOf } from '../fixtures/ownership.ts';
import { createClosedLoop } from '../load/closed-loop.ts';
import { type LoadRequest, postOperation, type Traffic } from '../load/send.ts';
import { spreadOf, textOf } from '../measure/statistics.ts';
import { leaveFirstCore } from '../processes/cores.ts';
import { startServer } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';
import { startNodeUpstream } from '../upstream/node.ts';

const CONNECTIONS = 16;
const WARM_UP_TURNS = 10;
const TURN_REQUESTS = 1000;
const SITES = 300;

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '40' } } });

const selection = 'id address1 city clients { id name }';
const bySites = `query ($ids: [ID!]!) { sites(ids: $ids) { ${selection} } }`;
const byEntities = `query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Site { ${selection} } } }`;

leaveFirstCore();
const upstream = await startNodeUpstream(respond);
for (const [title, env] of [
  ['three REST calls each', {}],
  ['all from the cache', { CACHE_TTL_MS: '3600000' }],
] as const) {
  const ratios = await ratiosWith({ FEDERATION: 'on', ...env });
  console.log(`CPU of _entities of three / of sites, ${title}: ${textOf(spreadOf(ratios), 3)}`);
}
upstream.close();

/** The CPU time of an operation by `_entities`, to that by `sites`, of each pair of turns at one gateway. */
async function ratiosWith(env: Record<string, string>): Promise<number[]> {
  const gateway = await startServer(portico, upstream, env);
  const loops = {
    sites: loopOf(gateway.url, 'sites', (ids) => ({ query: bySites, variables: { ids } })),
    entities: loopOf(gateway.url, '_entities', (ids) => {
      const representations = ids.map((id) => ({ __typename: 'Site', id }));
      return { query: byEntities, variables: { representations } };
    }),
  };

  async function cpuOfTurn(name: keyof typeof loops): Promise<number> {
    const before = gateway.usage();
    const { requests } = await loops[name].run({ requests: TURN_REQUESTS });
    return (cpuBetween(before, gateway.usage()) ?? Number.NaN) / requests;
  }

  try {
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1)
      await cpuOfTurn(turn % 2 === 0 ? 'sites' : 'entities');
    const ratios: number[] = [];
    for (let pair = 0; pair < Number(values.pairs); pair += 1) {
      // The order alternates, so that drift cancels.
      const isFirst = pair % 2 === 0;
      const [first, second] = [
        await cpuOfTurn(isFirst ? 'entities' : 'sites'),
        await cpuOfTurn(isFirst ? 'sites' : 'entities'),
      ];
      ratios.push(isFirst ? first / second : second / first);
    }
    return ratios;
  } finally {
    await Promise.all(Object.values(loops).map((loop) => loop.close()));
    await gateway.stop();
  }
}

type Operation = Parameters<typeof postOperation>[1];

/** Operations for three sites each. */
function loopOf(url: string, field: string, operationFor: (ids: readonly string[]) => Operation) {
  let sent = 0;
  const start = `{"data":{"${field}":[{"id":`;
  const traffic: Traffic<LoadRequest> = {
    next() {
      sent += 1;
      const ids = [0, 1, 2].map((n) => siteIdOf((3 * sent + n) % SITES));
      return postOperation('key-of-a-router', operationFor(ids));
    },
    onResponse(_, { status, body }) {
      const text = body.toString();
      if (status !== 200 || !text.startsWith(start)) throw new Error(text.slice(0, 500));
    },
  };
  return createClosedLoop(url, CONNECTIONS, traffic);
}
