import { expect } from 'vitest';
import { result, run, startPage, violationsOn, withChromium } from '../support/browser.ts';

/* The long run has more tests of the page: test/endurance/graphiql. */

withChromium('shows data on the first click on Run, from this origin only', async () => {
  const { page, errors, paths } = await startPage();
  await run(page);
  await expect.poll(() => result(page)).toContain('"site": { "id": "SITE-1001"');
  expect(paths).toEqual(['/v1/site/SITE-1001?include=clients']);
  expect(await page.title()).toBe('Portico GraphiQL');
  expect(await violationsOn(page)).toEqual([]);
  expect(errors).toEqual([]);
});
