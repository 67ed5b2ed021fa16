import type {
  AssociatedConversation,
  Client,
  ConversationContext,
  ConversationSite,
  ParticipantClient,
  Site,
} from '../../contract.ts';
import { daysAfter, minutesAfter, toDateTime } from '../dates.ts';
import { createRandom, type Random } from '../random.ts';
import { agents, fullName, personAt } from '../sites/people.ts';
import type { DemoSite } from '../sites/sites.ts';
import { type Dialogue, dialogues, freezer, outage } from './dialogues.ts';
import { messagesFrom } from './messages.ts';

/** The given properties of a conversation. Its first site decides the requester and the street. */
export interface ConversationPlan {
  id: string;
  dialogue: Dialogue;
  sites: readonly DemoSite[];
  /** Default: derived from the id. */
  start?: Date;
  participants?: number;
  /** The number of earlier cases of the first site. Default: derived from the id. */
  earlier?: number;
}

const statuses = ['closed', 'resolved', 'open', 'pending'];

/** After the creation of every site. */
const FIRST_DAY = new Date('2023-01-09T14:10:00Z');

export function contextFromPlan(plan: ConversationPlan): ConversationContext {
  const { id, dialogue, sites } = plan;
  const random = createRandom(`${id} ${dialogue.subject}`);
  const start = plan.start ?? minutesAfter(daysAfter(FIRST_DAY, random.int(0, 1_000)), random.int(0, 600));
  const [first] = sites;
  const client = first?.clients[0];
  const { firstName, lastName } = { ...personAt(0), ...client };
  const agent = random.pick(agents);
  const street = first?.site.address1 ?? 'our property';
  return {
    subject: dialogue.subject,
    messages: messagesFrom(dialogue, { client: { firstName, lastName }, agent, street }, start, random),
    status: random.pick(statuses),
    type: dialogue.type,
    urgency: dialogue.urgency,
    labels: [...dialogue.labels],
    requester: `${firstName} ${lastName}`,
    participants: {
      agents: [...new Set([agent, random.pick(agents)].map(fullName))],
      clients: (first?.clients ?? []).slice(0, plan.participants ?? 2).map(participantFromClient),
    },
    sites: sites.map(({ site }, n) => {
      const count = (n === 0 ? plan.earlier : undefined) ?? random.int(0, 3);
      return {
        ...toConversationSite(site),
        associatedConversations: earlierCases(count, dialogue, start, random),
      };
    }),
  };
}

function participantFromClient({ name, phoneNumbers, emails }: Client): ParticipantClient {
  const phone = phoneNumbers?.[0]?.value;
  const email = emails?.[0]?.value;
  return {
    ...(name ? { name } : {}),
    ...(phone ? { primaryPhoneNumber: phone } : {}),
    ...(email ? { primaryEmail: email } : {}),
  };
}

/** A site as part of a conversation, with the address and level of the site itself. */
function toConversationSite(site: Site): ConversationSite {
  const address = toAddress(site);
  return {
    ...(address ? { address } : {}),
    ...(site.serviceLevel ? { serviceLevel: site.serviceLevel } : {}),
    id: site.id,
  };
}

/** The address on one line, without unknown parts. */
function toAddress({ address1, address2, city, state, zip }: Site): string {
  const region = [state, zip].filter((part) => part !== null).join(' ');
  return [address1, address2, city, region].filter((part) => part !== null && part !== '').join(', ');
}

/** Other cases at the same site, all resolved before `before`. */
function earlierCases(
  count: number,
  current: Dialogue,
  before: Date,
  random: Random,
): AssociatedConversation[] {
  const others = [...dialogues, freezer, outage].filter((dialogue) => dialogue !== current);
  const first = random.int(0, others.length - 1);
  const cases = [...others, ...others, ...others].slice(first, first + count);
  return cases.map(({ subject, issue, resolution, shortSummary }) => ({
    friendlyId: `BW-${random.int(10_000, 99_999)}`,
    subject,
    status: random.chance(0.7) ? 'closed' : 'resolved',
    statusLastUpdatedAt: toDateTime(daysAfter(before, -random.int(20, 700))),
    issue,
    resolution,
    shortSummary,
  }));
}
