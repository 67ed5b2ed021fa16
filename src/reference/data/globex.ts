import { contextFromPlan } from './conversations.ts';
import { type Demo, numberedIds, sitesFor } from './demo.ts';
import { dialogues } from './dialogues/index.ts';
import { demoConversations } from './landmarks.ts';
import { globex } from './partners.ts';
import { createRandom } from './random.ts';
import { siteFromPlan } from './sites.ts';

/** Twenty sites, three of which share their id with a site of Acme, and fourteen conversations, one of which does. */
export function createGlobexDemo(siteIdPrefix: string): Demo {
  const ids = [...numberedIds(siteIdPrefix, 1001, 3), ...numberedIds(siteIdPrefix, 2001, 17)];
  const sites = ids.map((id, index) => siteFromPlan(globex, { id, index }));
  const random = createRandom(globex.id);
  const conversations = dialogues.slice(-14).map((dialogue, n) => {
    const id = n === 0 ? demoConversations.shared : random.uuid();
    return {
      id,
      context: contextFromPlan({ id, dialogue, sites: sitesFor(dialogue, sites, n, random.int(1, 2)) }),
    };
  });
  return { partnerId: globex.id, sites, conversations };
}
