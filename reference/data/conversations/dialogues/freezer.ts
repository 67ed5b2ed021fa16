import type { Dialogue, Line } from './dialogue.ts';

const LINE_COUNT = 300;

const opening: readonly Line[] = [
  [
    'client',
    'The walk-in freezer at {street} was at 12 °F this morning. Product is still hard. Can you watch it over the weekend?',
  ],
  [
    'agent',
    'We can, {client}. I have put a sensor from the van on it; its readings arrive here until we close this case.',
  ],
];

const remarks: readonly Line[] = [
  ['client', 'We just loaded a delivery, so it will look warm for a while.'],
  ['agent', 'Seen, thank you. It comes down as it should.'],
  [
    'note',
    'Defrost runs four times a day; these peaks are not faults. Do not call the customer for under 15 °F.',
  ],
  ['client', 'Door was left open during cleaning, closed now.'],
  [
    'agent',
    'Evaporator fan 2 sounds rough on the recording. A new motor is on Monday’s van.',
    'evaporator-fan.m4a',
  ],
  ['client', 'Frost is growing on the door frame again.', 'door-frame.jpg'],
  ['note', 'Gasket is the likely cause. Measured 1/8 in. gap at the lower hinge.'],
  ['agent', 'We bring a door gasket together with the fan motor, {client}.'],
];

const closing: readonly Line[] = [
  ['system', 'Fan motor and door gasket replaced.', 'service-report.pdf'],
  [
    'agent',
    'The last day stayed between -4 and 1 °F. I am closing this case, {client}. Call us if anything changes.',
  ],
];

/** The long case: readings of a sensor, and some messages of people. */
export const freezer: Dialogue = {
  subject: 'Weekend watch on the walk-in freezer',
  place: 'office',
  type: 'chat',
  urgency: 'high',
  labels: ['freezer', 'monitoring', 'refrigeration'],
  lines: [
    ...opening,
    ...Array.from({ length: LINE_COUNT - opening.length - closing.length }, (_, n) => lineAt(n)),
    ...closing,
  ],
  issue: 'Walk-in freezer drifted above its set point.',
  resolution: 'Evaporator fan motor and door gasket replaced.',
  shortSummary: 'Freezer watched over a weekend, then repaired.',
};

/** A reading, or a remark at every twelfth position. Readings fall and oscillate with the defrost. */
function lineAt(n: number): Line {
  const remark = n % 12 === 11 ? remarks[Math.floor(n / 12) % remarks.length] : undefined;
  if (remark) return remark;
  const fahrenheit = 10 - n / 25 + 4 * Math.sin(n / 3);
  return ['system', `Sensor 1, walk-in freezer: ${fahrenheit.toFixed(1)} °F`];
}
