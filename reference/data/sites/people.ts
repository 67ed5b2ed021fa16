import type { Random } from '../random.ts';

export interface Person {
  firstName: string;
  lastName: string;
}

const firstNames =
  `Amelia Noah Priya Daniel Zoë Marcus José Hannah Łukasz Grace Siobhán Omar Renée Thomas Mei-Lin
  Walter Søren Natalie Ibrahim Claire André Yuki Rosa Gareth Ingrid Samuel Chloé Dmitri Fatima Owen Beatriz Elliot
  Jürgen Leah Anaïs Victor 美玲 Patrick Nadia Theo`.split(/\s+/);

const lastNames =
  `Whitaker Álvarez Lindqvist Okafor Nguyen Brennan Kowalski Patel Fournier Castellanos O’Neill Haddad
  Müller Sandoval Bergström Tremblay Ferreira Ishikawa Doyle Abernathy Côté Marchetti Novák Reyes Thornton Gagnon
  Ødegård Pruitt Şahin Delacroix Ramaswamy Lévesque Hollis Nakagawa Weiß Carmichael Peña`.split(/\s+/);

/** The support agents of the provider. */
export const agents: readonly Person[] = [
  'Dana Whitfield',
  'Marisol Vega',
  'Ethan Cole',
  'Aoife Byrne',
  'Kenji Mori',
]
  .map((name) => name.split(' '))
  .map(([firstName = '', lastName = '']) => ({ firstName, lastName }));

export const fullName = ({ firstName, lastName }: Person) => `${firstName} ${lastName}`;

/** The n-th person. Up to 1,480 have different full names. */
export function personAt(n: number): Person {
  const round = Math.floor(n / firstNames.length);
  return {
    firstName: firstNames[n % firstNames.length] ?? '',
    lastName: lastNames[(n * 7 + round) % lastNames.length] ?? '',
  };
}

/** People of one household, most of them with the same last name. */
export function householdOf(size: number, random: Random): Person[] {
  const start = random.int(0, 1_000);
  const { lastName } = personAt(start);
  return Array.from({ length: size }, (_, n) => {
    const person = personAt(start + n);
    return n > 0 && random.chance(0.75) ? { ...person, lastName } : person;
  });
}

/** `zoe.lindqvist@domain`: letters outside ASCII lose their diacritics or are dropped. */
export function emailOf({ firstName, lastName }: Person, domain: string): string {
  const local = [firstName, lastName].map(toAsciiWord).filter((word) => word !== '');
  return `${local.join('.')}@${domain}`;
}

const toAsciiWord = (name: string) =>
  name
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
