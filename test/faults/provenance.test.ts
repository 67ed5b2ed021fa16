import { expect, it } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { openLive } from '../support/live.ts';
import { bareSite, type Script, sendSite } from '../support/upstream.ts';
import { canary } from './test-setup.ts';

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
  [401, 'text/plain', problem, 'FORBIDDEN'],
  [403, 'text/html', `<html>${canary}`, elsewhere],
  [403, json, `<html>${canary}`, elsewhere],
  [403, json, '', elsewhere],
  [403, json, '"no"', elsewhere],
  [403, json, '[]', elsewhere],
  [403, json, 'null', elsewhere],
  [403, json, Buffer.from('{"message":"\xe9"}', 'latin1'), elsewhere],
  [404, 'text/plain', 'default backend - 404', elsewhere],
  [404, undefined, '', elsewhere],
  [410, 'text/html', `<html>${canary}`, elsewhere],
  [429, 'text/html', `<html>${canary}`, 'RATE_LIMITED'],
  [429, undefined, '', 'RATE_LIMITED'],
];

it('takes each for the word of the REST API, or not, and keeps stale data through those that are not', async () => {
  let row: Row | undefined;
  const script: Script = (_, res) => {
    const [status, type, body] = row ?? [200, json, JSON.stringify(bareSite('SITE-1'))];
    res.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  };
  for (const settings of [{}, { CACHE_STALE_IF_ERROR_MS: '60000' }]) {
    row = undefined;
    const { upstream, gateway } = await startBoth(settings, script);
    for (const [n, each] of rows.entries()) {
      const [status, , , code] = each;
      const isStale = code === elsewhere && settings.CACHE_STALE_IF_ERROR_MS !== undefined;
      const key = `key-of-row-${n}`;
      row = undefined;
      await postQuery(gateway.url, query, { key });
      row = each;
      const { data, errors, extensions } = await postQuery(gateway.url, query, { key });
      expect(upstream.requests, String(each)).toHaveLength(2 * n + 2);
      const codes = errors?.map(({ extensions }) => extensions?.code) ?? [];
      if (isStale) expect({ data, extensions }).toMatchObject({ data: site, extensions: { stale: [{}] } });
      else expect(codes, String(each)).toEqual(code ? [code] : []);
      if (code === elsewhere && !isStale) {
        const problem = `it is not JSON, status ${status}`;
        expect(errors?.[0]?.message).toBe(`The response did not come from the REST API: ${problem}.`);
      }
      expect(JSON.stringify([data, errors]) + gateway.lines.join()).not.toContain(canary);
    }
  }
});

const site = { site: { id: 'SITE-1' } };

it('goes on with a live query through a response from elsewhere, and counts it as an outage', async () => {
  let isBroken = false;
  const { upstream, gateway } = await startBoth({ LIVE: 'on', LIVE_INTERVAL_S: '1' }, (req, res) => {
    if (isBroken) res.writeHead(403, { 'content-type': 'text/html' }).end('<html>');
    else sendSite(req, res);
  });
  const stream = await openLive(gateway.url, `subscription { live(every: 1) { site(id: "SITE-1") { id } } }`);
  await stream.received(1);
  isBroken = true;
  // The second failure comes after the first one had its effect.
  await upstream.received(upstream.requests.length + 2);
  expect(stream.events).toMatchObject([{ data: { live: site } }]);
  for (let n = 0; n < 40; n += 1) await postQuery(gateway.url, `{ site(id: "SITE-${n}") { id } }`);
  expect(upstream.requests.length).toBeLessThan(40);
  expect(gateway.gauge('portico_breaker_open')).toBe(1);
});
