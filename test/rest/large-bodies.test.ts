import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BodyRoom } from '../../src/rest/bodies.ts';
import { apiKeyOf, createCaller } from '../../src/rest/caller.ts';
import { UpstreamCancelled, UpstreamTimeout } from '../../src/rest/errors.ts';
import { parse } from '../../src/rest/json.ts';
import { createDisconnect, startClient } from '../support/client.ts';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { bareSite, sendSite, siteFromPath, startUpstream } from '../support/upstream.ts';

const query = (id: string) => `{ site(id: "${id}") { id } }`;

it.each([
  ['lists', '['.repeat(2_100_000)],
  ['closed lists', `${'['.repeat(1_100_000)}${']'.repeat(1_100_000)}`],
  ['objects', `{"id":"SITE-1","x":${'{"a":'.repeat(1_000_000)}`],
  ['two million empty objects', `{"id":"SITE-1","x":[${'{},'.repeat(2_000_000)}{}]}`],
])('rejects %s in one another, and serves on', async (_, body) => {
  const { gateway } = await startBoth({}, (req, res) => {
    if (req.url?.endsWith('SITE-1')) res.writeHead(200, { 'content-type': 'application/json' }).end(body);
    else sendSite(req, res);
  });
  expect((await postQuery(gateway.url, query('SITE-1'))).errors).toMatchObject([
    { message: expect.stringMatching(/it has more than \d+ values\.$/) },
  ]);
  expect((await postQuery(gateway.url, query('SITE-2'))).data).toEqual({ site: { id: 'SITE-2' } });
});

it('parses a large text with brackets, commas and quotation marks in it', () => {
  const json = [',[{"\\'.repeat(200_000)];
  expect(parse(JSON.stringify(json))).toEqual(json);
});

it('never gives more room than there is, half of it to one key, and admits every body in the end', () => {
  const bodies = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 60 })));
  fc.assert(
    fc.property(bodies, fc.infiniteStream(fc.nat()), (given, draws) => {
      const room = new BodyRoom(100);
      const admitted: [key: string, bytes: number][] = [];
      for (const [key, bytes] of given) {
        const body = {
          takeRoom() {
            if (!room.take(key, bytes)) return void room.waiting.add(body);
            room.waiting.delete(body);
            admitted.push([key, bytes]);
          },
        };
        body.takeRoom();
      }
      for (let left = given.length; left > 0; left -= 1) {
        expect(room.used).toBeLessThanOrEqual(100);
        const [[key, bytes] = ['', 0]] = admitted.splice(draws.next().value % admitted.length, 1);
        const ofKey = admitted.filter(([other]) => other === key).reduce((sum, [, one]) => sum + one, bytes);
        if (ofKey > bytes) expect(ofKey).toBeLessThanOrEqual(50);
        room.giveBack(key, bytes);
      }
      expect([room.used, room.waiting.size]).toEqual([0, 0]);
    }),
  );
});

it('counts the large bodies of an operation until it has its response', async () => {
  const city = 'x'.repeat(600_000);
  const { gateway } = await startBoth(
    { bodyRoomBytes: 1_500_000, maxUpstreamBytes: 700_000, UPSTREAM_TIMEOUT_MS: '2000' },
    (req, res) => sendSite(req, res, { city }),
  );
  const wide = await postQuery(gateway.url, '{ a: site(id: "SITE-1") { id } b: site(id: "SITE-2") { id } }');
  expect(Object.values(wide.data ?? {}).filter((site) => site === null)).toHaveLength(1);
  expect(wide.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect((await postQuery(gateway.url, query('SITE-3'))).data).toEqual({ site: { id: 'SITE-3' } });
});

it('fails alone where no room becomes free, and leaves half of it to other keys', async () => {
  const large = JSON.stringify({ ...bareSite('SITE-1'), city: 'x'.repeat(600_000) });
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (id === 'SITE-2') return sendSite(req, res);
    res.writeHead(200, { 'content-type': 'application/json' });
    // SITE-open takes its place, and never ends.
    return id === 'SITE-open' ? res.write(large.slice(0, 400_000)) : res.end(large);
  });
  const { getSite, callerOf } = startClient(upstream.url, {
    ...{ bodyRoomBytes: 1_500_000, maxUpstreamBytes: 700_000, UPSTREAM_TIMEOUT_MS: '60000' },
  });
  const leaving = createDisconnect();
  const open = getSite(callerOf(apiKey, leaving.signal), 'SITE-open', []);
  const hurried = () => createCaller(apiKeyOf(apiKey), createDisconnect().signal, 500);
  let outcome: unknown;
  // Succeeds until the other one has its place.
  while (!(outcome instanceof UpstreamTimeout)) {
    outcome = await getSite(hurried(), 'SITE-1', []).catch((error: unknown) => error);
  }
  expect(await getSite(callerOf(apiKey), 'SITE-2', [])).toMatchObject({ id: 'SITE-2' });
  expect(await getSite(callerOf(`${apiKey}-other`), 'SITE-1', [])).toMatchObject({ id: 'SITE-1' });
  leaving.abort();
  await expect(open).rejects.toBeInstanceOf(UpstreamCancelled);
  expect(await getSite(callerOf(apiKey), 'SITE-1', [])).toMatchObject({ id: 'SITE-1' });
});
