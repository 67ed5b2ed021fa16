import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { scenarioNames } from '../../../reference/scenarios/scenario.ts';
import { codes, postQuery, startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { startScrape } from './scrape.ts';

/** The circuit breaker waits for ten calls, and a share may let some succeed. */
const MAX_OPERATIONS = 40;

/** The code of the gateway's error, if there is one, and what it counts. */
const rows: [scenario: string, code: string | undefined, metric: string, labels: Record<string, string>][] = [
  ['slow', 'UPSTREAM_TIMEOUT', 'portico_operation_errors_total', { code: 'UPSTREAM_TIMEOUT' }],
  ['flaky', 'UPSTREAM_UNAVAILABLE', 'portico_upstream_calls_total', { status: '503' }],
  ['limited', 'RATE_LIMITED', 'portico_rate_limited_keys', {}],
  ['down', 'UPSTREAM_UNAVAILABLE', 'portico_breaker_open', {}],
  ['drifting', undefined, 'portico_drift_total', { field: 'Site.sla' }],
  ['sunset', undefined, 'portico_upstream_sunset_timestamp_seconds', {}],
];

it('has a row for each scenario', () => {
  expect(rows.map(([scenario]) => scenario)).toEqual(scenarioNames);
});

it.each(rows)('responds and counts under %s', async (scenario, code, metric, labels) => {
  const reference = await startReference();
  const gateway = await startGateway(reference.url, { ADMIN_PORT: '0', UPSTREAM_TIMEOUT_MS: '2000' });
  const scrape = startScrape(gateway);
  const others = 'others: sites(ids: ["SITE-1002", "SITE-1003"]) { id }';
  const query = `{ site(id: "SITE-1001") { city sla serviceLevel clients { name } } ${others} }`;
  const found = new Set<unknown>();
  const operate = async () => {
    const response = await postQuery(gateway.url, query, { key: demoKeys.acme });
    for (const one of codes(response)) found.add(one);
  };
  const value = async () =>
    (await scrape.samples())
      .filter((sample) => sample.name === metric)
      .filter((sample) => Object.entries(labels).every(([name, label]) => sample.labels[name] === label))
      .reduce((sum, sample) => sum + sample.value, 0);

  await operate();
  expect([[...found], await value()]).toEqual([[], 0]);
  const body = JSON.stringify({ scenario });
  expect((await fetch(`${reference.url}/__scenario`, { method: 'POST', body })).status).toBe(200);
  const isSeen = async () => (await value()) > 0 && (code === undefined || found.has(code));
  for (let n = 0; n < MAX_OPERATIONS && !(await isSeen()); n += 1) await operate();
  expect([[...found], await value()]).toEqual([code === undefined ? [] : [code], expect.any(Number)]);
  expect(await value()).toBeGreaterThan(0);
});
