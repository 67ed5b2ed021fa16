import { expect } from 'vitest';
import { demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { screenshot, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { scenarioRows, setScenario } from '../../support/scenarios.ts';

const { serve, openPage } = useDashboard();

/** Under `flaky`, the gateway's retry may succeed. */
const MAX_LOADS = 20;

withBrowser.each(scenarioRows)('shows under $scenario what it can say', async (row) => {
  const reference = await startReference();
  const gateway = await startGateway(reference.url, { UPSTREAM_TIMEOUT_MS: '2000' });
  const origin = await serve(gateway.url, demoKeys.acme);
  const { page, faults } = await openPage(origin, `/site/${demoSites().main}`, {
    viewport: { width: 640, height: 460 },
  });
  const isBusy = () => page.locator('.view[aria-busy="true"]').count();
  const shown = async () => {
    // Not right after a reload, when nothing is rendered yet.
    await page.locator('.view').waitFor();
    await expect.poll(isBusy).toBe(0);
    const counts = row.shown.map((text) => page.getByText(text).filter({ visible: true }).count());
    const found = await Promise.all(counts);
    return row.shown.filter((_, n) => found[n] !== 0);
  };
  await page.getByText('Thomas Ishikawa').waitFor();
  expect(await shown()).toEqual([]);
  await setScenario(reference, row.scenario);
  for (let n = 0; n < MAX_LOADS && (await shown()).length === 0; n += 1) await page.reload();
  expect(row.shown.length).toBeGreaterThan(0);
  expect(await shown()).toEqual(row.shown);
  expect(faults).toEqual([]);
  await screenshot(page, `scenario-${row.scenario}`, { isWhole: false });
});
