import type { Client, Email, PhoneNumber } from '../../contract.ts';
import type { Partner } from '../partners.ts';
import type { Random } from '../random.ts';
import { emailOf, fullName, householdOf, type Person, personAt } from './people.ts';
import { phoneIn, type Town } from './places.ts';

interface ClientPlan {
  count: number;
  partner: Partner;
  town: Town;
  /** The number of the first client; the others follow. */
  firstNumber: number;
  /** The email domain of an office; undefined for a home. */
  businessDomain: string | undefined;
  random: Random;
}

/** The clients of a site, none of them primary. */
export function clientsOf({
  count,
  partner,
  town,
  firstNumber,
  businessDomain,
  random,
}: ClientPlan): Client[] {
  const isCrowd = businessDomain !== undefined || count > 4;
  const start = random.int(0, 1_000);
  const people = isCrowd
    ? Array.from({ length: count }, (_, n) => personAt(start + n))
    : householdOf(count, random);
  return people.map((person, n) => ({
    id: `CL-${firstNumber + n}`,
    name: fullName(person),
    ...person,
    ...(random.chance(0.8) ? { partnerName: partner.name } : {}),
    marketingOptOut: random.chance(0.3),
    emails: emailsOf(person, businessDomain, random),
    phoneNumbers: phonesOf(town, businessDomain !== undefined, random),
    isPrimary: false,
  }));
}

function emailsOf(person: Person, businessDomain: string | undefined, random: Random): Email[] {
  const work = { label: 'work', domain: businessDomain ?? 'workplace.example' };
  const home = { label: 'personal', domain: 'mail.example' };
  const boxes = businessDomain ? [work] : random.chance(0.3) ? [home, work] : [home];
  return boxes.map(({ label, domain }, n) => ({
    id: random.uuid(),
    value: emailOf(person, domain),
    label,
    isPrimary: n === 0,
  }));
}

function phonesOf(town: Town, isOffice: boolean, random: Random): PhoneNumber[] {
  const labels = isOffice ? ['office', 'mobile'] : random.chance(0.4) ? ['mobile', 'home'] : ['mobile'];
  return labels.map((label, n) => ({
    id: random.uuid(),
    value: phoneIn(town, n, random),
    ...(label === 'office' ? { ext: random.int(100, 4_999) } : {}),
    label,
    isPrimary: n === 0,
  }));
}
