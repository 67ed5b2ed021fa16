import type { ConversationContext } from '../contract.ts';
import { type ConversationPlan, contextFromPlan } from './conversations/conversations.ts';
import { freezer } from './conversations/dialogues/freezer.ts';
import { dialogues } from './conversations/dialogues/index.ts';
import { outage } from './conversations/dialogues/outage.ts';
import { importedFrom } from './conversations/imported.ts';
import { demoConversations, demoSites } from './demo-ids.ts';
import { type DemoConversation, numberedIds, type PartnerData, sitesFor } from './partner-data.ts';
import { acme } from './partners.ts';
import { createRandom } from './random.ts';
import { siteExceptions } from './sites/exceptions.ts';
import { type DemoSite, type SitePlan, siteFromPlan } from './sites/sites.ts';

/** Forty-five sites and twelve conversations; among them all of `demo-ids.ts`. */
export function createAcmeDemo(siteIdPrefix: string): PartnerData {
  const sites = createSites(siteIdPrefix);
  const known = createKnownConversations(sites, demoSites(siteIdPrefix).gone);
  return { partnerId: acme.id, sites, conversations: [...known, ...createCases(sites)] };
}

function createSites(siteIdPrefix: string): DemoSite[] {
  const known = demoSites(siteIdPrefix);
  const counts: Readonly<Record<string, Pick<SitePlan, 'clients' | 'projects'>>> = {
    [known.main]: { clients: 3, projects: 3 },
    [`${siteIdPrefix}-1016`]: { clients: 9, projects: 8 },
    [known.withoutClients]: { clients: 0 },
    [known.with200Clients]: { clients: 200, projects: 2 },
  };
  const ids = [
    ...numberedIds(siteIdPrefix, 1001, 39),
    ...[known.withoutClients, known.with200Clients],
    ...[known.withSpace, known.withSlash, known.withPercent, known.withUmlaut],
  ];
  return ids.map((id, index) => {
    const demo = siteFromPlan(acme, { id, index, ...counts[id] });
    const change = siteExceptions.get(id.slice(siteIdPrefix.length + 1));
    return change ? change(demo) : demo;
  });
}

function createKnownConversations(sites: readonly DemoSite[], goneId: string): DemoConversation[] {
  const { main, with300Messages, with30Sites, shared, withGoneSite, withGaps, ...bare } = demoConversations;
  const [leak, cooling, alarm, roof] = dialogues;
  if (!leak || !cooling || !alarm || !roof)
    throw new RangeError('the known conversations need four dialogues');
  const gaps = {
    sites: sitesFor(roof, sites, 15, 5),
    start: new Date('2023-05-06T14:00:00Z'),
    participants: 3,
    earlier: 7,
  };
  return [
    fromPlan({ id: main, dialogue: leak, sites: sitesFor(leak, sites, 0, 3), earlier: 2 }),
    fromPlan({ id: with300Messages, dialogue: freezer, sites: sitesFor(freezer, sites, 8, 1) }),
    fromPlan({ id: with30Sites, dialogue: outage, sites: sitesFor(outage, sites, 2, 30) }),
    fromPlan({ id: shared, dialogue: cooling, sites: sitesFor(cooling, sites, 5, 1) }),
    fromPlan({ id: withGoneSite, dialogue: alarm, sites: sitesFor(alarm, sites, 17, 1) }, (context) => ({
      ...context,
      participants: { agents: context.participants?.agents ?? [] },
      sites: [...(context.sites ?? []), { id: goneId, address: '88 Demolished Row, Tacoma, WA 98403' }],
    })),
    fromPlan({ id: withGaps, dialogue: roof, ...gaps }, importedFrom),
    { id: bare.withoutFields, context: {} },
    { id: bare.withEmptyFields, context: emptyContext },
  ];
}

const emptyContext: ConversationContext = {
  subject: '',
  messages: [],
  status: '',
  type: '',
  urgency: '',
  labels: [],
  requester: '',
  participants: { agents: [], clients: [] },
  sites: [],
};

/** The ordinary cases, each at a different site. */
function createCases(sites: readonly DemoSite[]): DemoConversation[] {
  const random = createRandom(acme.id);
  return dialogues.slice(4).map((dialogue, n) => {
    const plan = {
      id: random.uuid(),
      dialogue,
      sites: sitesFor(dialogue, sites, 2 * n + 1, random.pick([1, 1, 2])),
    };
    return fromPlan(plan);
  });
}

function fromPlan(
  plan: ConversationPlan,
  change: (context: ConversationContext) => ConversationContext = (context) => context,
): DemoConversation {
  return { id: plan.id, context: change(contextFromPlan(plan)) };
}
