import type { Project } from '../../contract.ts';
import { daysAfter, toDate } from '../dates.ts';
import type { Random } from '../random.ts';

const homeWorks = [
  'Roof replacement, architectural shingle',
  'Heat pump conversion',
  'Kitchen remodel',
  'Solar array, 7.2 kW with battery',
  'Primary bathroom remodel',
  'Whole-house repipe',
  'Window replacement, 14 openings',
  'Crawl space encapsulation',
  'Deck rebuild',
  'EV charger and panel upgrade',
];

const officeWorks = [
  'Rooftop HVAC unit replacement',
  'Lobby lighting retrofit',
  'Restroom accessibility upgrade',
  'Flat roof recoating',
  'Access control modernisation',
  'Fire alarm panel replacement',
  'Server room cooling',
  'Parking lot resurfacing',
];

const stages = ['Estimate', 'Signed', 'In progress', 'Punch list', 'Complete', 'In warranty'];

/** Projects of a site from `since` on, with the dates that their stages have reached, in order. */
export function projectsOf(count: number, isOffice: boolean, since: Date, random: Random): Project[] {
  const works = isOffice ? officeWorks : homeWorks;
  const first = random.int(0, works.length - 1);
  return Array.from({ length: count }, (_, n) => {
    const stage = random.int(0, stages.length - 1);
    const signing = daysAfter(since, 90 + n * 210 + random.int(0, 60));
    const estimated = daysAfter(signing, random.int(14, 45));
    const day1 = daysAfter(estimated, random.int(0, 12));
    return {
      id: random.uuid(),
      name: works[(first + n) % works.length] ?? '',
      isPrimary: false,
      stage: stages[stage] ?? '',
      estimatedDay1: toDate(estimated),
      ...(stage >= 1 ? { signingDate: toDate(signing) } : {}),
      ...(stage >= 2 ? { day1StartDate: toDate(day1) } : {}),
      // One that is in warranty ends far in the future.
      ...(stage >= 4
        ? {
            warrantyExpiration: toDate(
              daysAfter(day1, 365 * (random.pick([1, 2, 5, 10]) + (stage === 5 ? 10 : 0))),
            ),
          }
        : {}),
    };
  });
}
