import type { Dialogue } from './dialogue.ts';

export const water: readonly Dialogue[] = [
  {
    subject: 'Brown stain spreading on the dining room ceiling',
    place: 'home',
    type: 'email',
    urgency: 'high',
    labels: ['leak', 'plumbing', 'ceiling'],
    lines: [
      [
        'client',
        'Hello, there is a brown stain on our dining room ceiling at {street}. It was a hand wide on Monday and it has doubled since. The upstairs bathroom is right above it.',
        'ceiling-stain.jpg',
      ],
      [
        'agent',
        'Thank you for the photo, {client}. Please stop using the upstairs shower for now. Does the stain grow when the shower is not used?',
      ],
      [
        'client',
        'We used the bath last night, not the shower, and it stayed dry. So I think it is the shower.',
      ],
      [
        'note',
        'Shower pan was redone two years ago and the workmanship warranty runs ten years. Book a plumber, not a roofer, and do not bill the visit.',
      ],
      [
        'agent',
        'That points to the shower drain. A plumber can be with you tomorrow between 8 and 10. The visit is covered by the warranty of the bathroom remodel.',
        'warranty-terms.pdf',
      ],
      ['client', 'Perfect, I will be home. Should I poke a hole in the ceiling? My neighbour says so.'],
      ['agent', 'Only if it starts to bulge. If it does, put a bucket under it and call us at once.'],
      [
        'agent',
        'Our plumber resealed the drain flange and left a moisture meter reading of 14 %. We come back in a week to paint.',
        'drain-flange.jpg',
      ],
    ],
    issue: 'Water under the upstairs shower reached the dining room ceiling.',
    resolution: 'Drain flange resealed under warranty; ceiling dried and repainted.',
    shortSummary: 'Shower drain leak above the dining room, fixed under warranty.',
  },
  {
    subject: 'Hot water runs out after five minutes',
    place: 'home',
    type: 'chat',
    urgency: 'normal',
    labels: ['water heater', 'plumbing'],
    lines: [
      ['client', 'Our showers turn lukewarm after about five minutes since the weekend.'],
      [
        'agent',
        'Hi {client}, I am sorry about that. Is the heater gas or electric, and does its display show an error?',
      ],
      ['client', 'Electric, 50 gallons. No display, just a dial. It is set to 120.'],
      ['agent', 'That sounds like the lower heating element. It is a one-hour repair. Friday at 1 pm?'],
      ['client', 'Friday works.'],
      ['note', 'Tank is from 2012. Offer the heat pump model if the anode is gone.'],
      ['system', 'Visit completed. Lower element replaced, anode at 40 %.', 'service-report.pdf'],
    ],
    issue: 'Hot water ran out within minutes.',
    resolution: 'Lower heating element replaced.',
    shortSummary: 'Failed heating element in a 50 gallon tank.',
  },
];
