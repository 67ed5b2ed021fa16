import type { Dialogue } from './dialogue.ts';

export const works: readonly Dialogue[] = [
  {
    subject: 'Does the roof warranty cover the lifted shingles?',
    type: 'email',
    urgency: 'normal',
    labels: ['roof', 'warranty'],
    lines: [
      [
        'client',
        'After the wind last week about a dozen shingles on the west side stand up. The roof is four years old. Is that on you or on my insurance?',
        'west-slope.jpg',
      ],
      [
        'agent',
        'Thank you for the photo, {client}. Workmanship is covered for ten years, and the shingle maker covers wind up to 110 mph.',
      ],
      ['client', 'The airport measured gusts of 71.'],
      [
        'agent',
        'Then it is ours. A roofer comes on Friday to seal what is loose and to look at the rest of the slope.',
      ],
      ['note', 'Same crew and month as two other callbacks. Ask the manager whether the nails were high.'],
      [
        'system',
        'Fourteen shingles resealed, six replaced. Nail line of the whole slope checked.',
        'roof-report.pdf',
      ],
      ['client', 'Very thorough. Thank you.'],
    ],
    issue: 'Shingles lifted in a windstorm.',
    resolution: 'Resealed and replaced under the workmanship warranty.',
    shortSummary: 'Wind-lifted shingles, repaired under warranty.',
  },
  {
    subject: 'Solar inverter shows a red light and no production',
    place: 'home',
    type: 'chat',
    urgency: 'normal',
    labels: ['solar', 'inverter'],
    lines: [
      ['client', 'The inverter has a steady red light and the app says 0 kWh since Tuesday.'],
      ['agent', 'Hi {client}, does the small screen show a code?'],
      ['client', 'Isolation fault, 3x31.'],
      [
        'agent',
        'That means one cable on the roof has contact to the frame, often after heavy rain. Please leave it off. It protects itself.',
      ],
      [
        'note',
        'String 2. A squirrel chewed through this one in 2022 as well, see photos of then. Quote a critter guard.',
      ],
      [
        'agent',
        'We come on Thursday to measure the strings. Lost production is credited under your performance guarantee.',
      ],
      [
        'system',
        'Damaged cable in string 2 replaced, critter guard fitted. Producing 5.8 kW at noon.',
        'string-2.jpg',
      ],
    ],
    issue: 'Inverter stopped with an isolation fault.',
    resolution: 'Chewed cable replaced and guard fitted; lost production credited.',
    shortSummary: 'Squirrel damage in solar string 2.',
  },
];
