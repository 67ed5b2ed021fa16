import type { ReferenceDatabase } from '../database/tables.ts';
import { rowFromKey } from '../keys/keys.ts';
import { createAcmeDemo } from './acme.ts';
import { demoKeyList } from './demo-keys.ts';
import { createGlobexDemo } from './globex.ts';
import { rowFromConversation, rowFromSite } from './partner-data.ts';

/** Writes the keys, sites and conversations of the demo, which are always the same. Keeps existing rows. */
export async function seedDemo(db: ReferenceDatabase, siteIdPrefix: string): Promise<void> {
  for (const demo of [createAcmeDemo(siteIdPrefix), createGlobexDemo(siteIdPrefix)]) {
    const sites = demo.sites.map((site) => rowFromSite(demo.partnerId, site));
    const conversations = demo.conversations.map((one) => rowFromConversation(demo.partnerId, one));
    await db
      .insertInto('sites')
      .values(sites)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await db
      .insertInto('conversations')
      .values(conversations)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const keys = demoKeyList.map(({ key, partner, description, scopes, facts }) =>
    rowFromKey(key, scopes, {
      partner_id: partner.id,
      environment: 'test',
      description,
      contact: `integrations@${partner.emailDomain}`,
      created_at: '2024-01-15T09:00:00.000Z',
      ...facts,
    }),
  );
  await db
    .insertInto('keys')
    .values(keys)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
