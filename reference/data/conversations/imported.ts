import type { Attachment, ConversationContext, Message } from '../../contract.ts';
import { eachWithout } from '../gaps.ts';

const photo = (title: string): Attachment => ({
  type: 'image',
  title,
  content: `https://files.brightwell.example/imported/${title}`,
  transcriptionId: 'none',
});

const message = (author: string, role: string, createdAt: string, text: string): Message => ({
  author,
  role,
  createdAt,
  text,
  isInternal: false,
  rawBody: text,
  attachments: [],
});

const thread: readonly Message[] = [
  message(
    'Dana Whitfield',
    'agent',
    '2023-05-06T14:00:00Z',
    'Imported from the old ticket system, see photos.',
  ),
  message(
    'Unknown caller',
    'client',
    '2023-05-06T14:20:00Z',
    'The gutter over the entrance drips on everyone who rings.',
  ),
  message(
    'Dana Whitfield',
    'agent',
    '2023-05-06T15:00:00Z',
    'Noted, the gutter crew is nearby on Wednesday.',
  ),
  message(
    'Dana Whitfield',
    'agent',
    '2023-05-06T15:05:00Z',
    'Ladder access only from the neighbour’s drive, ask first.',
  ),
  message('Unknown caller', 'client', '2023-05-08T09:30:00Z', 'They are here, thank you.'),
  message(
    'Dana Whitfield',
    'agent',
    '2023-05-08T11:10:00Z',
    'End cap and two hangers replaced, downspout flushed.',
  ),
  message('Brightwell Monitoring', 'system', '2023-05-08T11:15:00Z', 'Case closed.'),
  {
    ...message('Dana Whitfield', 'agent', '2023-05-08T11:20:00Z', 'Photos of the finished work.'),
    attachments: eachWithout(
      [photo('gutter-before.jpg'), photo('end-cap.jpg'), photo('hangers.jpg'), photo('gutter-after.jpg')],
      ['type', 'title', 'content', 'transcriptionId'],
    ),
  },
];

/** A case imported from an older system: every element of its lists lacks a different field. */
export function importedFrom(context: ConversationContext): ConversationContext {
  const { participants, sites: [first, ...others] = [] } = context;
  return {
    ...context,
    subject: 'Gutter over the entrance drips',
    labels: ['imported', 'gutter'],
    messages: eachWithout(thread, [
      'attachments',
      'author',
      'role',
      'createdAt',
      'isInternal',
      'rawBody',
      'text',
    ]),
    participants: {
      clients: eachWithout(participants?.clients ?? [], ['name', 'primaryEmail', 'primaryPhoneNumber']),
    },
    sites: [
      {
        ...first,
        associatedConversations: eachWithout(first?.associatedConversations ?? [], [
          'friendlyId',
          'subject',
          'status',
          'statusLastUpdatedAt',
          'issue',
          'resolution',
          'shortSummary',
        ]),
      },
      ...eachWithout(others, ['address', 'serviceLevel', 'id', 'associatedConversations']),
    ],
  };
}
