import type { Dialogue } from './dialogue.ts';

/** One case for a whole portfolio. */
export const outage: Dialogue = {
  subject: 'Ice storm: which of our properties are without power?',
  type: 'email',
  urgency: 'emergency',
  labels: ['storm', 'power', 'portfolio'],
  lines: [
    [
      'client',
      'The utility reports outages all over the region. Which of our properties are affected, and are the heating systems safe?',
      'outage-map.jpg',
    ],
    [
      'agent',
      'Good morning, {client}. Thirty of your sites are inside the outage area. Eleven report over battery, the other nineteen are silent.',
    ],
    ['note', 'Order of visits: clinics, then homes with infants or oxygen, then everything below 45 °F.'],
    [
      'agent',
      'Two crews are driving the list in that order. Pipes are drained wherever the indoor temperature is below 45 °F.',
    ],
    ['client', 'Thank you. Please call me at any hour if a pipe has burst.'],
    ['system', 'Power restored at 26 of 30 sites.'],
    [
      'agent',
      'All thirty sites have power again. Two burst pipes, both stopped within the hour. Photos are with each site’s own case.',
      'storm-summary.pdf',
    ],
  ],
  issue: 'Power failed at thirty sites in an ice storm.',
  resolution: 'All sites visited in order of need; two burst pipes repaired.',
  shortSummary: 'Ice storm response over thirty sites.',
};
