import { expect } from 'vitest';
import { demoConversations, demoKeys } from '../../../reference/data/demo-ids.ts';
import { withChromium } from '../../support/browser.ts';
import { manifest, useDashboard } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';

const { serve, openPage } = useDashboard({ VITE_TRUSTED_DOCUMENTS: 'on' });

withChromium('sends the ids of its manifest alone, to a gateway that executes nothing else', async () => {
  const reference = await startReference();
  const env = { LIVE: 'on', TRUSTED_DOCUMENTS: manifest, TRUSTED_DOCUMENTS_ONLY: 'on' };
  const origin = await serve((await startGateway(reference.url, env)).url, demoKeys.acme);
  const { page, context, faults } = await openPage(origin, '/');
  const bodies: string[] = [];
  context.on('request', (request) => bodies.push(request.postData() ?? ''));
  await page.goto(`${origin}/conversation/${demoConversations.main}`);
  await page.getByRole('link', { name: 'Northbank Coworking' }).click();
  await page
    .getByRole('region', { name: /Clients/ })
    .getByRole('listitem')
    .first()
    .waitFor();
  expect(reference.paths).toHaveLength(6);
  await page.getByRole('switch', { name: 'Live' }).click();
  await page
    .locator('#live-note')
    .getByText(/^Checked/)
    .first()
    .waitFor();
  expect(bodies.filter((body) => body.includes('"query"'))).toEqual([]);
  expect(bodies.filter((body) => body.includes('sha256Hash')).length).toBeGreaterThan(2);
  expect(faults).toEqual([]);
});
