import { lineFromConversation, lineFromSite } from '../transfer/record.ts';
import { contextFromPlan } from './conversations/conversations.ts';
import { dialogues } from './conversations/dialogues.ts';
import { numberedIds, rowFromConversation, rowFromSite, sitesFor } from './partner-data.ts';
import { acme } from './partners.ts';
import { createRandom } from './random.ts';
import { type DemoSite, siteFromPlan } from './sites/sites.ts';

export interface GeneratedData {
  sites: number;
  conversations: number;
  seed: number;
  siteIdPrefix: string;
}

const FIRST_NUMBER = 1001;
/** Among as many consecutive sites, each dialogue finds one that it fits. */
const CHOICE = 6;

/**
 * Lines for an import: sites of Acme with consecutive ids, then conversations at one to three of them. The same
 * arguments give the same bytes, and more sites begin with the same ones.
 */
export function* generatedLines({
  sites,
  conversations,
  seed,
  siteIdPrefix,
}: GeneratedData): Generator<string> {
  // Its id decides what is drawn for a site.
  const partner = { ...acme, id: `${acme.id} ${seed}` };
  const siteAt = (index: number): DemoSite => {
    const [id = ''] = numberedIds(siteIdPrefix, FIRST_NUMBER + index, 1);
    return siteFromPlan(partner, { id, index });
  };
  for (let index = 0; index < sites; index += 1) yield lineFromSite(rowFromSite(acme.id, siteAt(index)));

  const random = createRandom(`conversations ${seed}`);
  for (let n = 0; n < conversations; n += 1) {
    const first = random.int(0, Math.max(0, sites - CHOICE));
    const nearby = Array.from({ length: Math.min(CHOICE, sites) }, (_, next) => siteAt(first + next));
    const dialogue = random.pick(dialogues);
    const concerned = sitesFor(dialogue, nearby, 0, random.int(1, 3));
    const id = random.uuid();
    const context = contextFromPlan({ id, dialogue, sites: concerned });
    yield lineFromConversation(rowFromConversation(acme.id, { id, context }));
  }
}
