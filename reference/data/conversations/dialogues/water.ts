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
  {
    subject: 'Sump pump keeps running although it has not rained',
    place: 'home',
    type: 'phone',
    urgency: 'high',
    labels: ['basement', 'sump pump'],
    lines: [
      [
        'client',
        'The sump pump in our basement has been running without a break since this morning, and it is dry outside.',
        'Call recording',
      ],
      ['agent', 'Is there water in the pit, {client}, or is the pump running dry?'],
      ['client', 'The pit is half full and it does not get lower.'],
      [
        'note',
        'Either the check valve is stuck open or the discharge is blocked. Send someone with both parts.',
      ],
      [
        'agent',
        'Then the water comes back in as fast as it leaves. Please switch the pump off for ten minutes each hour so that it does not overheat. A technician is on the way.',
      ],
      ['system', 'Check valve replaced and discharge line flushed. Pump drew 6.1 A, which is in range.'],
    ],
    issue: 'Pump ran continuously and the pit did not empty.',
    resolution: 'Check valve replaced, discharge line flushed.',
    shortSummary: 'Stuck check valve on the sump pump.',
  },
  {
    subject: 'Frozen pipe in the north wall, water off',
    place: 'home',
    type: 'phone',
    urgency: 'emergency',
    labels: ['emergency', 'plumbing', 'winter'],
    lines: [
      [
        'client',
        'No water in the kitchen this morning, it is 9 degrees out and I can see frost on the pipe under the sink.',
        'Call recording',
      ],
      [
        'agent',
        'Please close the main valve first, {client}. It is usually by the meter. Then open the kitchen tap so the pressure can go.',
      ],
      ['client', 'Valve is closed. Can I use a hair dryer on it?'],
      [
        'agent',
        'Yes, starting from the tap and moving away from it, never an open flame. Leave the cabinet doors open. Our plumber reaches {street} within the hour.',
      ],
      ['note', 'Third frozen pipe on this street in a week. Offer heat tape to the neighbours we serve.'],
      [
        'system',
        'Pipe thawed, no split found. Insulation and heat tape fitted along 12 ft.',
        'heat-tape.jpg',
      ],
    ],
    issue: 'Kitchen supply froze in an outside wall.',
    resolution: 'Thawed without damage; insulated and fitted with heat tape.',
    shortSummary: 'Frozen kitchen supply, thawed and insulated.',
  },
  {
    subject: 'Break room sink backs up when the dishwasher drains',
    place: 'office',
    type: 'email',
    urgency: 'normal',
    labels: ['drain', 'plumbing'],
    lines: [
      [
        'client',
        'Every time the dishwasher empties, grey water comes up in the sink next to it. Staff have stopped using the room.',
      ],
      [
        'agent',
        'Thanks for the report, {client}. Is the disposal quiet when you switch it on, or does it hum?',
      ],
      ['client', 'It hums and then trips its red button.'],
      [
        'agent',
        'The disposal is jammed and the dishwasher drains through it. We can clear both on Wednesday before you open.',
      ],
      ['system', 'Teaspoon removed from disposal. Trap cleaned, air gap installed.'],
      ['client', 'All good now. We have put up a sign about teaspoons.'],
    ],
    issue: 'Dishwasher water rose in the sink.',
    resolution: 'Disposal cleared, trap cleaned, air gap installed.',
    shortSummary: 'Jammed disposal blocked the dishwasher drain.',
  },
  {
    subject: 'City notice: annual backflow test is overdue',
    type: 'email',
    urgency: 'low',
    labels: ['irrigation', 'compliance'],
    lines: [
      [
        'client',
        'We received a second letter from the water bureau about the backflow test for our irrigation. I thought it was part of the plan?',
        'city-notice.pdf',
      ],
      [
        'agent',
        'It is, {client}, and the letter should not have reached you. I see that our tester came in May and found the gate locked.',
      ],
      ['note', 'Tester left a door tag but nobody called. Process gap, raised with scheduling.'],
      [
        'agent',
        'We can test on Thursday morning and file the result with the city the same day. Could you leave the side gate open?',
      ],
      ['client', 'Gate will be open. Thank you for sorting this out.'],
      ['system', 'Backflow assembly passed. Report filed with the city.', 'backflow-report.pdf'],
    ],
    issue: 'Annual backflow test had been missed.',
    resolution: 'Assembly tested, passed and reported to the city.',
    shortSummary: 'Overdue backflow test, done and filed.',
  },
];
