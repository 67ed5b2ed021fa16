import { gql } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { expect, it } from 'vitest';
import { createGate } from '../support/gate.ts';
import { apiKey, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { createApollo } from './apollo.ts';

const card = { id: 'SITE-1', city: 'Bend' };
const clients = [{ id: 'CLIENT-1', name: 'Ada' }];
const whole = { site: { ...card, clients } };
const bare = '/v1/site/SITE-1';
const withClients = `${bare}?include=clients`;

const deferring = '{ site(id: "SITE-1") { id city ... @defer { clients { id name } } } }';
const plain = '{ site(id: "SITE-1") { id city clients { id name } } }';

/** A gateway in front of an upstream that responds to a call with relations only after `hold` is settled. */
async function start(hold: Promise<void> = Promise.resolve()) {
  const upstream = await startUpstream(async (req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    if (include.length > 0) await hold;
    sendJson(res, { ...bareSite(id), ...card, ...(include.length > 0 && { clients }) });
  });
  return { upstream, gateway: await startGateway(upstream.url) };
}

/** A response without the type names that clients select in addition, and without undefined properties. */
function untyped(value: unknown): unknown {
  const text = JSON.stringify(value, (name, inner) => (name === '__typename' ? undefined : inner));
  return text === undefined ? undefined : JSON.parse(text);
}

it('delivers the card, then the relations, to the Apollo handler for the format of 2022', async () => {
  const gate = createGate();
  const { upstream, gateway } = await start(gate.promise);
  const client = createApollo(gateway.url, { incrementalHandler: new Defer20220824Handler() });
  const states: unknown[] = [];
  const ended = createGate();
  const subscription = client
    .watchQuery({ query: gql(deferring) })
    .subscribe(({ data, dataState, error }) => {
      if (error) ended.fail(error);
      if (dataState === 'empty') return;
      states.push([dataState, untyped(data)]);
      if (dataState === 'complete') ended.open();
      else gate.open();
    });
  await ended.promise;
  subscription.unsubscribe();
  expect(upstream.paths()).toEqual([bare, withClients]);
  expect(states).toEqual([
    ['streaming', { site: card }],
    ['complete', whole],
  ]);
});

it.each([
  {
    name: 'the Apollo handler for incrementalSpec=v0.2',
    handler: new GraphQL17Alpha9Handler(),
    text: deferring,
  },
  { name: 'the default Apollo handler, which defers nothing', handler: undefined, text: plain },
])('sends one complete response to $name', async ({ handler, text }) => {
  const { upstream, gateway } = await start();
  const client = createApollo(gateway.url, { incrementalHandler: handler });
  const query = gql(text);
  const { data, error } = await client.query({ query, errorPolicy: 'all' });
  expect(upstream.paths()).toEqual([withClients]);
  expect(error).toBeUndefined();
  expect(untyped(data)).toEqual(whole);
  // A client that cannot read a response stores nothing.
  expect(untyped(client.readQuery({ query }))).toEqual(whole);
});

it('delivers the card, then the relations, to urql', async () => {
  const gate = createGate();
  const { upstream, gateway } = await start(gate.promise);
  const client = new Client({
    url: gateway.url,
    exchanges: [cacheExchange, fetchExchange],
    fetchOptions: { headers: { 'x-api-key': apiKey } },
    preferGetMethod: false,
  });
  const states: unknown[] = [];
  const ended = createGate();
  const { unsubscribe } = client.query(deferring, {}).subscribe(({ data, error, hasNext }) => {
    if (error) ended.fail(error);
    states.push([hasNext, untyped(data)]);
    if (hasNext) gate.open();
    else ended.open();
  });
  await ended.promise;
  unsubscribe();
  expect(upstream.paths()).toEqual([bare, withClients]);
  expect(states).toEqual([
    [true, { site: card }],
    [false, whole],
  ]);
});
