import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { scenarioNames } from '../../../reference/scenarios/scenario.ts';
import { codes, postQuery, startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { scenarioRows, setScenario } from '../../support/scenarios.ts';
import { startScrape } from './scrape.ts';

/** The circuit breaker waits for ten calls, and a share may let some succeed. */
const MAX_OPERATIONS = 40;

it('has a row for each scenario', () => {
  expect(scenarioRows.map(({ scenario }) => scenario)).toEqual(scenarioNames);
});

it.each(scenarioRows)('responds and counts under $scenario', async ({ scenario, code, metric, labels }) => {
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
  await setScenario(reference, scenario);
  const isSeen = async () => (await value()) > 0 && (code === undefined || found.has(code));
  for (let n = 0; n < MAX_OPERATIONS && !(await isSeen()); n += 1) await operate();
  expect([[...found], await value()]).toEqual([code === undefined ? [] : [code], expect.any(Number)]);
  expect(await value()).toBeGreaterThan(0);
});
