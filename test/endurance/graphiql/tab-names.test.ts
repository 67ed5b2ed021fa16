import { expect } from 'vitest';
import {
  looksOf,
  picture,
  result,
  run,
  startPage,
  tabsOf,
  violationsOn,
  withChromium,
} from '../../support/browser.ts';

/** The parts of the form that names a tab. */
const formOf = (page: Awaited<ReturnType<typeof startPage>>['page']) => ({
  button: page.getByRole('button', { name: 'Rename tab' }),
  name: page.getByLabel('Name of this tab'),
  submit: page.getByRole('button', { name: 'Rename', exact: true }),
});

const looks = looksOf({
  desktop: { width: 1400, height: 900 },
  phone: { width: 390, height: 844 },
  'desktop at 200 %': { width: 700, height: 450 },
});

withChromium.each(looks)(
  'gives a tab a name, which covers nothing: $name, $colorScheme',
  async ({ name: screen, colorScheme, viewport }) => {
    const { page, errors } = await startPage({ colorScheme, viewport });
    const { button, name, submit } = formOf(page);
    const names = await tabsOf(page).allInnerTexts();
    await button.click();
    expect(await violationsOn(page)).toEqual([]);
    const [field, editor, tabs] = await Promise.all(
      [name, page.locator('.graphiql-toolbar'), tabsOf(page).first()].map((part) => part.boundingBox()),
    );
    if (!field || !editor || !tabs) return expect.unreachable();
    expect(field.y).toBeGreaterThanOrEqual(tabs.y + tabs.height);
    expect(field.y + field.height).toBeLessThanOrEqual(editor.y);
    await picture(page, `tab-name-${screen}-${colorScheme}`);
    await name.fill('Night shift');
    await submit.click();
    await expect.poll(() => tabsOf(page).allInnerTexts()).toEqual(['Night shift', ...names.slice(1)]);
    expect(await name.count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(errors).toEqual([]);
  },
);

withChromium(
  'keeps the name of a tab through edits, other tabs and a reload, until it is removed',
  async () => {
    const { page, paths } = await startPage();
    const { button, name } = formOf(page);
    const { keyboard } = page;
    const names = () => tabsOf(page).allInnerTexts();
    const others = (await names()).slice(1);
    // By a double click, and by keyboard from there on.
    await tabsOf(page).first().dblclick();
    await name.waitFor();
    await keyboard.type('Home');
    await keyboard.press('Enter');
    await expect.poll(names).toEqual(['Home', ...others]);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Rename tab');

    await page.locator('.graphiql-query-editor .view-line').first().click();
    await keyboard.press('Control+A');
    await keyboard.insertText('query Edited { site(id: "SITE-1002") { id } }');
    await run(page);
    await expect.poll(() => result(page)).toContain('"SITE-1002"');
    expect(paths).toEqual(['/v1/site/SITE-1002']);
    expect(await names()).toEqual(['Home', ...others]);
    await tabsOf(page).nth(1).click();
    // Left before GraphiQL has read the operation in it.
    await page.getByRole('button', { name: 'New tab' }).click();
    await expect.poll(names).toEqual(['Home', ...others, '<untitled>']);
    await tabsOf(page).first().click();
    for (let reloads = 0; reloads < 2; reloads += 1) {
      await page.reload();
      await page.locator('.graphiql-query-editor .view-line').first().waitFor();
      expect(await names()).toEqual(['Home', ...others, '<untitled>']);
    }

    // A tab that is left without a change keeps its name; without a name it has that of its operation.
    await button.click();
    expect(await name.inputValue()).toBe('Home');
    await keyboard.type('Another');
    await keyboard.press('Escape');
    await name.waitFor({ state: 'detached' });
    expect(await names()).toEqual(['Home', ...others, '<untitled>']);
    await button.click();
    await keyboard.press('Delete');
    await keyboard.press('Enter');
    await expect.poll(names).toEqual(['Edited', ...others, '<untitled>']);
  },
);

withChromium('opens a tab with a name of one letter by a click on its middle', async () => {
  const { page } = await startPage({ search: { query: 'query A { health { reachable } }' } });
  await page.getByRole('button', { name: 'New tab' }).click();
  await expect.poll(() => tabsOf(page).allInnerTexts()).toEqual(['A', '<untitled>']);
  const { x, y, width, height } = (await tabsOf(page).first().boundingBox()) ?? expect.unreachable();
  await page.mouse.click(x + width / 2, y + height / 2);
  await expect.poll(() => page.locator('[aria-current=true]').allInnerTexts()).toEqual(['A']);
  expect(await tabsOf(page).allInnerTexts()).toEqual(['A', '<untitled>']);
});

withChromium('gives no tab a name with the key in it, not even a part of the key', async () => {
  const { page } = await startPage();
  const { button, name, submit } = formOf(page);
  const names = await tabsOf(page).allInnerTexts();
  const key = `canary-${'k'.repeat(249)}`;
  await page.getByLabel('API key', { exact: true }).fill(key);
  await button.click();
  await name.fill(key);
  await submit.click();
  await page.getByText('Not renamed: the name contains the key.').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await name.waitFor({ state: 'detached' });
  expect(await tabsOf(page).allInnerTexts()).toEqual(names);
  await page.reload();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  expect(await page.evaluate('sessionStorage.getItem("graphiql:tabState")')).not.toContain('canary');
});
