import { expect, it } from 'vitest';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { openLive } from '../support/live.ts';
import { bareSite, type Script, sendJson } from '../support/upstream.ts';
import { canary } from './leaks.ts';

const query = '{ site(id: "SITE-1") { id } }';
const json = 'application/json';
const problem = `{"message":"${canary}"}`;

type Row = [status: number, type: string | undefined, body: string | Buffer, code: string | null];

const elsewhere = 'UPSTREAM_INVALID_RESPONSE';
const rows: Row[] = [
  [401, json, problem, 'FORBIDDEN'],
  [403, json, problem, 'FORBIDDEN'],
  [403, 'Application/JSON ; charset=utf-8', problem, 'FORBIDDEN'],
  [403, 'application/problem+json', `\ufeff${problem}`, 'FORBIDDEN'],
  [404, json, '{}', null],
  [404, 'application/vnd.partner.v1+json;v=1', problem, null],
  [410, json, problem, null],
  [401, 'text/plain', problem, elsewhere],
  [403, 'text/html', `<html>${canary}`, elsewhere],
  [403, json, `<html>${canary}`, elsewhere],
  [403, undefined, problem, elsewhere],
  [403, json, '', elsewhere],
  [403, json, '"no"', elsewhere],
  [403, json, '[]', elsewhere],
  [403, json, 'null', elsewhere],
  [403, json, Buffer.from('{"message":"\xe9"}', 'latin1'), elsewhere],
  [403, 'text/plain; application/json', problem, elsewhere],
  [403, 'application/jsonp', problem, elsewhere],
  [404, 'text/plain', 'default backend - 404', elsewhere],
  [404, undefined, '', elsewhere],
  [410, 'text/html', `<html>${canary}`, elsewhere],
  [429, 'text/html', `<html>${canary}`, 'RATE_LIMITED'],
  [429, undefined, '', 'RATE_LIMITED'],
];

/** An upstream that sends the row for every request, once it is told to. */
async function start([status, type, body]: Row, settings = {}) {
  let isBroken = false;
  const script: Script = (_, res) => {
    if (isBroken) res.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
    else sendJson(res, bareSite('SITE-1'));
  };
  const both = await startBoth({ CACHE_STALE_IF_ERROR_MS: '60000', ...settings }, script);
  return {
    ...both,
    break() {
      isBroken = true;
    },
  };
}

it.each(rows)('takes a %i with %s and %j for the word of the REST API, or not', async (...row) => {
  const [status, , , code] = row;
  const { gateway, upstream, ...scene } = await start(row);
  scene.break();
  const response = await postQuery(gateway.url, query);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
  expect(response.errors?.map(({ extensions }) => extensions?.code) ?? []).toEqual(code ? [code] : []);
  if (code === elsewhere) {
    expect(response.errors?.[0]?.message).toBe(
      `The response did not come from the REST API: it is not JSON, status ${status}.`,
    );
  }
  expect(JSON.stringify(response) + gateway.lines.join()).not.toContain(canary);
});

it.each(rows.filter(([, type]) => type === json))(
  'keeps stale data through a %i with %s and %j that is not the REST API’s',
  async (...row) => {
    const isElsewhere = row[3] === elsewhere;
    const { gateway, ...scene } = await start(row);
    await postQuery(gateway.url, query);
    scene.break();
    const { data, extensions } = await postQuery(gateway.url, query);
    if (isElsewhere) expect({ data, extensions }).toMatchObject({ data: site, extensions: { stale: [{}] } });
    else expect(extensions).toBeUndefined();
  },
);

const site = { site: { id: 'SITE-1' } };

it.each<Row>([
  [403, json, problem, 'FORBIDDEN'],
  [404, json, '{}', null],
  [403, 'text/html', '<html>', elsewhere],
  [404, undefined, '', elsewhere],
])('goes on with a live query through a %i with %s and %j that is not the REST API’s', async (...row) => {
  const { gateway, upstream, ...scene } = await start(row, { LIVE: 'on', LIVE_INTERVAL_S: '1' });
  const stream = await openLive(gateway.url, `subscription { live(every: 1) { site(id: "SITE-1") { id } } }`);
  await stream.received(1);
  scene.break();
  const isElsewhere = row[3] === elsewhere;
  if (isElsewhere) {
    // The second failure comes after the first one had its effect.
    await upstream.received(upstream.requests.length + 2);
    expect(stream.events).toMatchObject([{ data: { live: site } }]);
  } else expect((await stream.received(2))[1]).toMatchObject({ data: { live: { site: null } } });
});

it('counts responses from elsewhere as an outage', async () => {
  const { gateway, upstream, ...scene } = await start([403, 'text/html', '<html>', elsewhere]);
  scene.break();
  for (let n = 0; n < 40; n += 1) await postQuery(gateway.url, `{ site(id: "SITE-${n}") { id } }`);
  expect(upstream.requests.length).toBeLessThan(40);
  expect(gateway.gauge('portico_breaker_open')).toBe(1);
  expect(upstream.requests.every((request) => request.apiKey === apiKey)).toBe(true);
});
