import type { Dialogue } from './dialogue.ts';

export const climate: readonly Dialogue[] = [
  {
    subject: 'Air conditioning blows warm on the second floor',
    place: 'home',
    type: 'chat',
    urgency: 'high',
    labels: ['hvac', 'cooling'],
    lines: [
      ['client', 'It is 84 upstairs and the vents blow warm air. Downstairs is fine.'],
      ['agent', 'Hi {client}. Do you have one thermostat or two?'],
      ['client', 'Two. The upstairs one says cooling, and the unit outside on the left is not spinning.'],
      [
        'agent',
        'Please set the upstairs thermostat to off for thirty minutes, so that the coil can thaw if it is iced.',
      ],
      ['note', 'Left condenser is the 2015 unit. Capacitor was weak at the spring check: 38 of 45 µF.'],
      ['agent', 'We suspect the capacitor, which the technician carries. He can come today between 4 and 6.'],
      ['system', 'Run capacitor replaced. Supply air 57 °F after ten minutes.', 'condenser-label.jpg'],
      ['client', 'Cool again. Thanks for coming the same day.'],
    ],
    issue: 'Upstairs zone did not cool.',
    resolution: 'Run capacitor of the condenser replaced.',
    shortSummary: 'Weak capacitor stopped the upstairs condenser.',
  },
  {
    subject: 'Furnace starts and stops every two minutes',
    place: 'home',
    type: 'phone',
    urgency: 'high',
    labels: ['hvac', 'heating'],
    lines: [
      [
        'client',
        'The furnace comes on, burns for a minute or two, stops, and starts again. All night long.',
        'Call recording',
      ],
      ['agent', 'When was the filter changed the last time, {client}?'],
      ['client', 'I honestly do not know. Before Christmas last year?'],
      [
        'agent',
        'A blocked filter makes it overheat and cut out. Please take the filter out and hold it against the light.',
      ],
      ['client', 'No light comes through at all.'],
      [
        'agent',
        'Run it without the filter tonight. I am sending two new ones, and a technician checks the limit switch on Tuesday.',
      ],
      ['note', 'Add to filter subscription, 16x25x4, every three months.'],
    ],
    issue: 'Furnace short-cycled through the night.',
    resolution: 'Blocked filter removed; limit switch tested and in order.',
    shortSummary: 'Short-cycling furnace because of a blocked filter.',
  },
];
