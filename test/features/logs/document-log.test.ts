import { expect, it } from 'vitest';
import { postOperation, startBoth } from '../../support/gateway.ts';
import { openLive } from '../../support/live.ts';
import { writeManifest } from '../../support/manifest.ts';

const one = '{ site(id: "SITE-1") { id } }';

it('logs the fields of each operation that is executed, once, but for trusted documents', async () => {
  const { path } = await writeManifest({ a: one });
  const { gateway } = await startBoth({ TRUSTED_DOCUMENTS: path, LIVE: 'on' });
  const { url, logged } = gateway;
  const query = `query A { __typename site(id: "SITE-1") { ...F id @skip(if: true) } } query B { health { reachable } }
    query Unused { site(id: "SITE-1") { zip } } fragment F on Site { primaryClient { name } id }`;
  for (const operationName of ['A', 'B', 'A', 'B']) await postOperation(url, { query, operationName });
  for (const document of [{ documentId: 'a' }, '{ nothing }']) await postOperation(url, document);
  await postOperation(url, one, { key: null });
  const stream = await openLive(url, 'subscription { live { site(id: "SITE-1") { city } } }');
  await stream.received(1);
  stream.close();
  const lines = await logged('document', 3);
  const operations = await logged('operation', 7);
  expect(lines.map(({ operation, fields }) => [operation, fields])).toEqual([
    ['A', ['Query.site', 'Site.id', 'Site.primaryClient', 'Client.name']],
    ['B', ['Query.health', 'Health.reachable']],
    [null, ['Subscription.live', 'Query.site', 'Site.city']],
  ]);
  expect(lines[0]?.document).toBe(operations[0]?.document);
});

it('logs no fields of an operation that is only planned', async () => {
  const { gateway } = await startBoth({ LIVE: 'on' });
  const { url, logged } = gateway;
  const live = 'subscription { live { site(id: "SITE-1") { zip } } }';
  for (const query of [one, live]) await postOperation(url, query, { headers: { 'x-explain': 'plan' } });
  await postOperation(url, '{ site(id: "SITE-1") { city } }', { headers: { 'x-explain': 'report' } });
  const [line] = await logged('document');
  expect(line?.fields).toEqual(['Query.site', 'Site.city']);
  const operations = await logged('operation', 3);
  expect(operations.map(({ plan }) => plan)).toEqual([true, true, undefined]);
});
