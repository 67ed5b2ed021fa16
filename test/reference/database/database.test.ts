import { expect, it, onTestFinished } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { seedDemo } from '../../../reference/data/seed.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { onEngines } from '../support/database.ts';
import { importLines, siteLine } from '../support/ndjson.ts';
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
