import type { ConversationContext } from '../contract.ts';
import { contextFromPlan } from './conversations/conversations.ts';
import { type Dialogue, dialogues, freezer, outage } from './conversations/dialogues.ts';
import { importedFrom } from './conversations/imported.ts';
import { demoConversations, demoSites } from './demo-ids.ts';
import { type DemoConversation, numberedIds, type PartnerData, sitesFor } from './partner-data.ts';
import { acme } from './partners.ts';
import { siteExceptions } from './sites/exceptions.ts';
import { type DemoSite, type SitePlan, siteFromPlan } from './sites/sites.ts';

/** Forty-five sites and eight conversations; among them all of `demo-ids.ts`. */
export function createAcmeDemo(siteIdPrefix: string): PartnerData {
  const sites = createSites(siteIdPrefix);
  const conversations = createConversations(sites, demoSites(siteIdPrefix).gone);
  return { partnerId: acme.id, sites, conversations };
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

function createConversations(sites: readonly DemoSite[], goneId: string): DemoConversation[] {
  const { main, with300Messages, with30Sites, shared, withGoneSite, withGaps, ...bare } = demoConversations;
  const [leak, cooling, alarm, roof] = dialogues;
  const context = (id: string, dialogue: Dialogue, first: number, count: number, more = {}) =>
    contextFromPlan({ id, dialogue, sites: sitesFor(dialogue, sites, first, count), ...more });
  const atGoneSite = context(withGoneSite, alarm, 17, 1);
  const gaps = { start: new Date('2023-05-06T14:00:00Z'), participants: 3, earlier: 7 };
  return [
    { id: main, context: context(main, leak, 0, 3, { earlier: 2 }) },
    { id: with300Messages, context: context(with300Messages, freezer, 8, 1) },
    { id: with30Sites, context: context(with30Sites, outage, 2, 30) },
    { id: shared, context: context(shared, cooling, 5, 1) },
    {
      id: withGoneSite,
      context: {
        ...atGoneSite,
        participants: { agents: atGoneSite.participants?.agents ?? [] },
        sites: [...(atGoneSite.sites ?? []), { id: goneId, address: '88 Demolished Row, Tacoma, WA 98403' }],
      },
    },
    { id: withGaps, context: importedFrom(context(withGaps, roof, 15, 5, gaps)) },
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
