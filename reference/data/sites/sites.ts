import type { AccountManager, Client, Project, Site } from '../../contract.ts';
import { daysAfter, toDate, toDateTime } from '../dates.ts';
import type { Partner } from '../partners.ts';
import { createRandom, type Random } from '../random.ts';
import { clientsOf } from './clients.ts';
import { agents } from './people.ts';
import type { Town } from './places.ts';
import { projectsOf } from './projects.ts';
import { serviceLevels } from './service-levels.ts';

/** A site with its relations. */
export interface DemoSite {
  site: Site;
  clients: Client[];
  projects: Project[];
}

/** The given properties of a site; the others derive from its id. */
export interface SitePlan {
  id: string;
  /** Its index in the partner's list: decides its service level, kind and how its primaries are marked. */
  index: number;
  clients?: number;
  projects?: number;
}

const businesses = [
  'Cedar & Pine Dental',
  'Northbank Coworking',
  'Larkspur Veterinary',
  'Atelier Fougère',
  'Halvorsen Legal',
  'Blue Heron Bakery',
  'Tidewater Clinic',
  'Maison Béluga',
  'Foundry Street Studios',
  'Juniper Montessori',
];

export function siteFromPlan(partner: Partner, plan: SitePlan): DemoSite {
  const { id, index } = plan;
  const random = createRandom(`${partner.id} ${id}`);
  const isOffice = index % 3 === 2;
  const town = random.pick(partner.towns);
  const businessName = isOffice ? random.pick(businesses) : undefined;
  const created = daysAfter(new Date('2016-02-01T15:30:00Z'), random.int(0, 2_200));
  const clients = clientsOf({
    count: plan.clients ?? random.int(1, 3),
    partner,
    town,
    firstNumber: partner.firstClientNumber + index * 250,
    businessDomain: businessName && domainFromName(businessName),
    random,
  });
  const projects = projectsOf(plan.projects ?? random.int(0, 3), isOffice, created, random);
  return withPrimaries(index, clients, projects, {
    id,
    ...addressIn(town, isOffice, random),
    ...membership(index, created, random),
    clientSegment: isOffice ? 'Commercial' : random.pick(['Residential', 'Residential', 'Portfolio']),
    ...(businessName ? { businessName } : {}),
    brandId: isOffice ? 'brightwell-works' : 'brightwell-home',
    ...(index % 4 === 0 ? { accountManager: accountManager(random) } : {}),
  });
}

function addressIn(town: Town, isOffice: boolean, random: Random) {
  return {
    address1: `${random.int(11, 4_899)} ${random.pick(town.streets)}`,
    address2: isOffice
      ? `Suite ${random.int(100, 620)}`
      : random.chance(0.2)
        ? `Apt ${random.int(1, 40)}`
        : null,
    city: town.city,
    state: town.state,
    zip: random.pick(town.zips),
  };
}

/** Every fifteenth site has no service level. */
function membership(index: number, created: Date, random: Random) {
  const level = serviceLevels[index % (serviceLevels.length + 1)];
  const isPlan = level?.name.startsWith('CPP') ?? false;
  return {
    ...(random.chance(0.85) ? { tosAccepted: toDate(daysAfter(created, random.int(0, 40))) } : {}),
    ...(level ? { serviceLevel: level.name, sla: level.slaHours, isMonitored: level.isMonitored } : {}),
    ...(isPlan ? { cppExpDate: toDateTime(daysAfter(created, 365 * random.int(10, 12))) } : {}),
    membershipRegistered: level !== undefined && !['Non-Member', 'Inactive'].includes(level.name),
    createdAt: toDateTime(created),
    updatedAt: toDateTime(daysAfter(created, random.int(30, 1_100))),
  };
}

function accountManager(random: Random): AccountManager {
  return { id: random.uuid(), ...random.pick(agents) };
}

/** Most sites name their primaries by id and mark the elements; some only mark them, some do neither. */
function withPrimaries(index: number, clients: Client[], projects: Project[], site: Site): DemoSite {
  const isMarked = index % 9 !== 7;
  const isNamed = isMarked && index % 9 !== 4;
  const mark = <T extends object>(items: T[]) =>
    items.map((item, n) => ({ ...item, isPrimary: isMarked && n === 0 }));
  const primaryClientId = clients[0]?.id;
  const primaryProjectId = projects[0]?.id;
  return {
    site: {
      ...site,
      ...(isNamed && primaryClientId ? { primaryClientId } : {}),
      ...(isNamed && primaryProjectId ? { primaryProjectId } : {}),
    },
    clients: mark(clients),
    projects: mark(projects),
  };
}

function domainFromName(name: string): string {
  const word = name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z ]/g, '');
  return `${word.replace(/ +/g, '-')}.example`;
}
