import { contextFromPlan } from './conversations/conversations.ts';
import { dialogues } from './conversations/dialogues.ts';
import { demoConversations } from './demo-ids.ts';
import { numberedIds, type PartnerData, sitesFor } from './partner-data.ts';
import { globex } from './partners.ts';
import { createRandom } from './random.ts';
import { siteFromPlan } from './sites/sites.ts';

/** Twenty sites, three with ids of Acme's sites, and four conversations, one with an id of Acme's. */
export function createGlobexDemo(siteIdPrefix: string): PartnerData {
  const ids = [...numberedIds(siteIdPrefix, 1001, 3), ...numberedIds(siteIdPrefix, 2001, 17)];
  const sites = ids.map((id, index) => siteFromPlan(globex, { id, index }));
  const random = createRandom(globex.id);
  const conversations = dialogues.map((dialogue, n) => {
    const id = n === 0 ? demoConversations.shared : random.uuid();
    return {
      id,
      context: contextFromPlan({ id, dialogue, sites: sitesFor(dialogue, sites, n, random.int(1, 2)) }),
    };
  });
  return { partnerId: globex.id, sites, conversations };
}
