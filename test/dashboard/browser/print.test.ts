import { expect } from 'vitest';
import { demoConversations, demoKeys } from '../../../reference/data/demo-ids.ts';
import { screenshot, useDashboard, withBrowser } from '../../support/dashboard.ts';
import { startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';

const { serve, openPage } = useDashboard();

const pages = [
  { name: 'site', path: '/site/SITE-1016', ready: 'Grace Hollis', content: 'End of warranty', most: 2 },
  {
    name: 'conversation',
    path: `/conversation/${demoConversations.main}`,
    ready: 'Northbank Coworking',
    content: 'We come back in a week to paint.',
    most: 3,
  },
  {
    name: '300 messages',
    path: `/conversation/${demoConversations.with300Messages}`,
    ready: 'Cedar & Pine Dental',
    content: 'Evaporator fan 2 sounds rough',
    most: 19,
  },
];

withBrowser.each(pages)(
  'prints its content alone, light and on few pages: $name',
  async ({ name, path, ready, content, most }) => {
    const reference = await startReference();
    const gateway = await startGateway(reference.url);
    const origin = await serve(gateway.url, demoKeys.acme);
    const { page, faults } = await openPage(origin, path, { colorScheme: 'dark' });
    await page.getByText(ready, { exact: true }).first().waitFor();
    await page.getByRole('complementary', { name: 'Cost of this view' }).waitFor();
    const colours = () =>
      page.evaluate(
        '[document.body, document.querySelector("h1")].map((e) => getComputedStyle(e)).map((s) => [s.backgroundColor, s.color])',
      );
    const dark = await colours();

    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText(content).filter({ visible: true }).count()).toBeGreaterThan(0);
    for (const role of [
      'textbox',
      'button',
      'radio',
      'checkbox',
      'switch',
      'complementary',
      'banner',
    ] as const) {
      expect(await page.getByRole(role).count(), role).toBe(0);
    }
    expect(await colours()).not.toEqual(dark);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.setViewportSize({ width: 690, height: 975 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(690);
    await screenshot(page, `print-${name}`);

    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    const count = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(most);
    expect(faults).toEqual([]);
  },
);
