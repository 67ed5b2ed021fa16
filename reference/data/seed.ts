import * as z from 'zod';
import { client, conversationContext, project, site } from '../contract.ts';
import type { ReferenceDatabase } from '../database/tables.ts';
import { rowFromKey } from '../keys/keys.ts';
import { createAcmeDemo } from './acme.ts';
import { demoKeyList } from './demo-keys.ts';
import { createGlobexDemo } from './globex.ts';
import { type PartnerData, rowFromConversation, rowFromSite } from './partner-data.ts';
import { addUnplannedFields } from './unplanned.ts';

const demoSite = z.object({ site, clients: z.array(client), projects: z.array(project) });
const demoConversation = z.object({ context: conversationContext });

/** Writes the keys, sites and conversations of the demo, which are always the same. Keeps existing rows. */
export async function seedDemo(db: ReferenceDatabase, siteIdPrefix: string): Promise<void> {
  for (const demo of createDemos(siteIdPrefix)) {
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

/** The demo data of both partners, with all fields of the contract. */
function createDemos(siteIdPrefix: string): PartnerData[] {
  // The plans share objects.
  const demos = structuredClone([createAcmeDemo(siteIdPrefix), createGlobexDemo(siteIdPrefix)]);
  const sites = demos.flatMap((demo) => demo.sites);
  const conversations = demos.flatMap((demo) => demo.conversations);
  addUnplannedFields(demoSite, sites);
  addUnplannedFields(demoConversation, conversations);
  return demos;
}
