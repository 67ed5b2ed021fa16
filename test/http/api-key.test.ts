import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { apiKeyFrom } from '../../src/http/api-key.ts';
import { postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

it.each<[string, string[], string | undefined]>([
  ['the only one', ['host', 'a', 'x-api-key', 'key'], 'key'],
  ['one whose name is spelled otherwise', ['X-Api-Key', 'key'], 'key'],
  ['one of 256 bytes', ['x-api-key', 'k'.repeat(256)], 'k'.repeat(256)],
  ['none of 257 bytes', ['x-api-key', 'k'.repeat(257)], undefined],
  ['none where there is none', ['host', 'a', 'authorization', 'Bearer key'], undefined],
  ['no value that is another header', ['x-name', 'x-api-key', 'host', 'a'], undefined],
  ['none of two', ['x-api-key', 'key', 'X-API-KEY', 'key'], undefined],
  ['none of two in one field', ['x-api-key', 'a,b'], undefined],
  ['none beside an empty one in one field', ['x-api-key', 'key,'], undefined],
  ['no empty one', ['x-api-key', ''], undefined],
  ['none beside an empty one', ['x-api-key', 'key', 'x-api-key', ''], undefined],
])('finds %s', async (_, fields, key) => {
  expect(await keyOf(fields)).toBe(key);
});

/** The key in these fields (names and values in turn), after they were received over a connection. */
async function keyOf(fields: string[]): Promise<string | undefined> {
  let found: string | undefined;
  const server = createServer((req, res) => {
    found = apiKeyFrom(req);
    res.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const named = fields.includes('host') ? fields : ['host', 'a', ...fields];
  const sent = request({ port, headers: [...named, 'connection', 'close'] }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  server.close();
  return found;
}

const keyLike = fc.string({ unit: fc.constantFrom('k', '-', '+', ',', '~', '!'), maxLength: 300 });

it('returns a key unchanged or undefined, and no invalid key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), keyLike), (text) => {
      const key = apiKeyFrom({ headers: { 'x-api-key': text } });
      const usable =
        text.length > 0 &&
        text.length <= 256 &&
        [...text].every((one) => one > ' ' && one < '\x7f' && one !== ',');
      expect(key).toBe(usable ? text : undefined);
    }),
  );
});

it('makes many calls in one operation without a process warning', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  const upstream = await startUpstream((req, res) => sendJson(res, bareSite(siteFromPath(req.url ?? '').id)));
  const gateway = await startGateway(upstream.url);
  const ids = Array.from({ length: 50 }, (_, index) => `SITE-${index}`);
  await postQuery(gateway.url, 'query ($ids: [ID!]!) { sites(ids: $ids) { id } }', { variables: { ids } });
  process.off('warning', warn);
  expect(upstream.requests).toHaveLength(50);
  expect(warnings).toEqual([]);
});
