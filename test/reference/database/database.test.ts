import { expect, it, onTestFinished } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { seedDemo } from '../../../reference/data/seed.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { freshPostgresUrl, hasPostgres } from '../../support/postgres.ts';
import { freshDatabasePath, onEngines, openSeeded } from '../support/database.ts';
import { importLines, siteLine, storedLines } from '../support/ndjson.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

onEngines('the database', (freshUrl) => {
  it('is seeded once by concurrent starts', async () => {
    const databaseUrl = await freshUrl();
    let seeds = 0;
    const starts = Array.from({ length: 6 }, async () => {
      const db = await startDatabase(databaseUrl, async (fresh) => {
        seeds += 1;
        await seedDemo(fresh, 'SITE');
      });
      onTestFinished(() => db.destroy());
      expect((await db.selectFrom('keys').select('name').execute()).length).toBe(7);
    });
    await Promise.all(starts);
    expect(seeds).toBe(1);
  });

  it('keeps nothing of a seed that fails, and the next start seeds', async () => {
    const databaseUrl = await freshUrl();
    const failing = startDatabase(databaseUrl, async (fresh) => {
      const site = { partner_id: 'acme', id: 'SITE-half', site: '{}', clients: '[]', projects: '[]' };
      await fresh.insertInto('sites').values(site).execute();
      throw new Error('halfway');
    });
    await expect(failing).rejects.toThrow('halfway');
    const reference = await startFresh({ databaseUrl });
    expect((await sendRequest(reference, siteTarget(demoSites().main))).status).toBe(200);
  });

  it('gets the demo data next to imported rows, which stay', async () => {
    const databaseUrl = await freshUrl();
    const db = await startDatabase(databaseUrl);
    onTestFinished(() => db.destroy());
    const own = siteLine('acme', demoSites().main, { city: 'Elsewhere' });
    await importLines(db, [own]);
    const reference = await startFresh({ databaseUrl });
    expect(await sendRequest(reference, siteTarget(demoSites().main))).toMatchObject({
      status: 200,
      body: expect.stringContaining('Elsewhere'),
    });
    expect((await sendRequest(reference, siteTarget('SITE-1002'))).status).toBe(200);
  });
});

it('writes the same demo data, in the same order, to every database', async () => {
  const sqlite = async () => `file:${await freshDatabasePath()}`;
  const urls = [await sqlite(), await sqlite(), ...(hasPostgres ? [await freshPostgresUrl()] : [])];
  const [first, ...others] = await Promise.all(urls.map(async (url) => storedLines(await openSeeded(url))));
  expect(first?.length).toBe(77);
  for (const lines of others) expect(lines).toEqual(first);
});
