import type { Dialogue } from './dialogue.ts';

export const safety: readonly Dialogue[] = [
  {
    subject: 'Alarm went off at 3 am and nobody was there',
    place: 'office',
    type: 'phone',
    urgency: 'high',
    labels: ['alarm', 'false alarm'],
    lines: [
      ['system', 'Burglar alarm: motion, zone 4 (loading dock), 03:12. Patrol sent.'],
      [
        'client',
        'I was woken by your call and drove to {street}. The patrol says all doors are shut. What set it off?',
        'Call recording',
      ],
      [
        'agent',
        'I am sorry for the night, {client}. Only the motion sensor at the dock fired. Is anything new in there that moves?',
      ],
      ['client', 'They hung banners for the anniversary on Friday.'],
      [
        'agent',
        'When the night heating starts, they sway. I have put zone 4 on a two-step confirmation until the banners are down.',
      ],
      ['note', 'Waive the patrol fee: first false alarm of the year.'],
      ['client', 'Good. They come down next Monday, I will tell you then.'],
    ],
    issue: 'Night alarm without an intruder.',
    resolution: 'Banners in front of a motion sensor; zone set to two-step confirmation.',
    shortSummary: 'False alarm at the loading dock because of swaying banners.',
  },
  {
    subject: 'Smoke detector chirps and will not stop',
    place: 'home',
    type: 'sms',
    urgency: 'normal',
    labels: ['smoke detector', 'battery'],
    lines: [
      ['client', 'Detector in the hallway chirps every minute. New battery did not help.'],
      ['agent', 'Hi {client}, what year is printed on its side?'],
      ['client', '2013'],
      [
        'agent',
        'They retire after ten years, that is what it is telling you. We will replace all five of yours on Thursday, it is in your plan.',
      ],
      ['client', 'great, until then?'],
      ['agent', 'Take that one down and keep the others up.'],
      ['system', 'Five detectors replaced and tested.'],
    ],
    issue: 'Detector chirped with a fresh battery.',
    resolution: 'All five detectors replaced at the end of their life.',
    shortSummary: 'Smoke detectors had reached ten years.',
  },
];
