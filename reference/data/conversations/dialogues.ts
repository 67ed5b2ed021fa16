/** A `note` is an internal message of an agent. */
export type Line = readonly [
  speaker: 'client' | 'agent' | 'note' | 'system',
  text: string,
  attachment?: string,
];

/** A support case. `{client}`, `{agent}` and `{street}` are replaced by those of the site. */
export interface Dialogue {
  subject: string;
  /** The kind of site; undefined for any. */
  place?: 'home' | 'office';
  type: 'email' | 'chat' | 'phone' | 'sms';
  urgency: 'low' | 'normal' | 'high' | 'emergency';
  labels: readonly string[];
  lines: readonly Line[];
  issue: string;
  resolution: string;
  shortSummary: string;
}

/** One case of each trade. */
export const dialogues: readonly [Dialogue, Dialogue, Dialogue, Dialogue] = [
  {
    subject: 'Brown stain spreading on the dining room ceiling',
    place: 'home',
    type: 'email',
    urgency: 'high',
    labels: ['leak', 'plumbing', 'ceiling'],
    lines: [
      ['client', 'A brown stain on our ceiling at {street} has doubled since Monday.', 'ceiling-stain.jpg'],
      ['agent', 'Thank you, {client}. Does it grow when the shower above is not used?'],
      ['client', 'No, it stayed dry last night.'],
      ['note', 'Shower pan was redone two years ago, under warranty: do not bill the visit.'],
      ['agent', 'That points to the drain. A plumber can come tomorrow at 8.', 'warranty-terms.pdf'],
      ['client', 'Perfect, I will be home. Should I poke a hole in the ceiling? My neighbour says so.'],
      ['agent', 'Only if it starts to bulge. If it does, put a bucket under it and call us at once.'],
      ['agent', 'Drain flange resealed. We come back in a week to paint.', 'drain-flange.jpg'],
    ],
    issue: 'Water under the upstairs shower reached the dining room ceiling.',
    resolution: 'Drain flange resealed under warranty; ceiling dried and repainted.',
    shortSummary: 'Shower drain leak above the dining room, fixed under warranty.',
  },
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
      ['agent', 'Please set that thermostat to off for thirty minutes, so that an iced coil can thaw.'],
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
    subject: 'Alarm went off at 3 am and nobody was there',
    place: 'office',
    type: 'phone',
    urgency: 'high',
    labels: ['alarm', 'false alarm'],
    lines: [
      ['system', 'Burglar alarm: motion, zone 4 (loading dock), 03:12. Patrol sent.'],
      ['client', 'All doors at {street} are shut. What set it off?', 'Call recording'],
      ['agent', 'Only the motion sensor fired, {client}. Is anything new in there that moves?'],
      ['client', 'They hung banners for the anniversary on Friday.'],
      ['agent', 'They sway in the heating’s draft. Zone 4 now needs a second sensor to confirm.'],
      ['note', 'Waive the patrol fee: first false alarm of the year.'],
      ['client', 'Good. They come down next Monday, I will tell you then.'],
    ],
    issue: 'Night alarm without an intruder.',
    resolution: 'Banners in front of a motion sensor; zone set to two-step confirmation.',
    shortSummary: 'False alarm at the loading dock because of swaying banners.',
  },
  {
    subject: 'Does the roof warranty cover the lifted shingles?',
    type: 'email',
    urgency: 'normal',
    labels: ['roof', 'warranty'],
    lines: [
      [
        'client',
        'About a dozen shingles stand up since the wind. The roof is four years old.',
        'west-slope.jpg',
      ],
      ['agent', 'Thank you, {client}. The shingles are covered for ten years, in wind up to 110 mph.'],
      ['client', 'The airport measured gusts of 71.'],
      ['agent', 'Then it is ours. A roofer comes on Friday to look at the whole slope.'],
      ['note', 'Same crew and month as two other callbacks. Ask the manager whether the nails were high.'],
      ['system', 'Fourteen shingles resealed, six replaced.', 'roof-report.pdf'],
      ['client', 'Very thorough. Thank you.'],
    ],
    issue: 'Shingles lifted in a windstorm.',
    resolution: 'Resealed and replaced under the workmanship warranty.',
    shortSummary: 'Wind-lifted shingles, repaired under warranty.',
  },
];

/** One case for a whole portfolio. */
export const outage: Dialogue = {
  subject: 'Ice storm: which of our properties are without power?',
  type: 'email',
  urgency: 'emergency',
  labels: ['storm', 'power', 'portfolio'],
  lines: [
    ['client', 'The utility reports outages. Are our heating systems safe?', 'outage-map.jpg'],
    ['agent', 'Thirty of your sites are inside the outage area, {client}. Nineteen are silent.'],
    ['note', 'Order of visits: clinics, then homes with infants or oxygen, then everything below 45 °F.'],
    ['agent', 'Two crews are on their way, and drain pipes where it is below 45 °F.'],
    ['client', 'Thank you. Please call me at any hour if a pipe has burst.'],
    ['system', 'Power restored at 26 of 30 sites.'],
    ['agent', 'All sites have power again. Two pipes burst and are repaired.', 'storm-summary.pdf'],
  ],
  issue: 'Power failed at thirty sites in an ice storm.',
  resolution: 'All sites visited in order of need; two burst pipes repaired.',
  shortSummary: 'Ice storm response over thirty sites.',
};

const READINGS = 297;

/** The long case: a sensor's readings fall and oscillate with the defrost. */
export const freezer: Dialogue = {
  subject: 'Weekend watch on the walk-in freezer',
  place: 'office',
  type: 'sms',
  urgency: 'high',
  labels: ['freezer', 'monitoring', 'refrigeration'],
  lines: [
    ['client', 'The walk-in freezer at {street} was at 12 °F. Can you watch it over the weekend?'],
    [
      'agent',
      'We can, {client}. One fan sounds rough. A new motor is on Monday’s van.',
      'evaporator-fan.m4a',
    ],
    ...Array.from({ length: READINGS }, (_, n) => lineAt(n)),
    ['system', 'Fan motor and door gasket replaced.', 'service-report.pdf'],
  ],
  issue: 'Walk-in freezer drifted above its set point.',
  resolution: 'Evaporator fan motor and door gasket replaced.',
  shortSummary: 'Freezer watched over a weekend, then repaired.',
};

/** A reading, or a note at every twelfth position. */
function lineAt(n: number): Line {
  if (n % 12 === 11) return ['note', 'This peak is the defrost, which runs four times a day. Do not call.'];
  const fahrenheit = 10 - n / 25 + 4 * Math.sin(n / 3);
  return ['system', `Sensor 1: ${fahrenheit.toFixed(1)} °F`];
}
