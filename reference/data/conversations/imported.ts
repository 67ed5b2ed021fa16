import type { ConversationContext } from '../../contract.ts';
import { eachWithout } from '../gaps.ts';

const photos = ['before.jpg', 'nails.jpg', 'hangers.jpg', 'after.jpg'].map((title) => ({
  type: 'image',
  title,
  content: `https://files.brightwell.example/imported/${title}`,
  transcriptionId: 'none',
}));

/** A case imported from an older system: every element of its lists lacks a different field. */
export function importedFrom(context: ConversationContext): ConversationContext {
  const { messages = [], participants, sites: [first, ...others] = [] } = context;
  const attachments = eachWithout(photos, ['type', 'title', 'content', 'transcriptionId']);
  const thread = messages.map((message) => ({ rawBody: '', ...message, attachments }));
  return {
    ...context,
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
