import { type GraphQLResolveInfo, getArgumentValues } from 'graphql';
import { memoized } from '../../rest/memo.ts';
import type * as rest from '../../rest/resources.ts';
import { builder, objectType } from '../builder.ts';
import { invalidValue } from '../errors.ts';
import { sliceOf } from '../input.ts';
import { type Resource, resourcesNamed, settleEach } from '../resources.ts';
import { cacheBySelection } from '../selection-cache.ts';
import { includesOf, objectTypesOf, selectedFields } from '../selections.ts';
import { siteRef } from './site.ts';

const attachmentRef = objectType<rest.Attachment>('Attachment', 'Something attached to a message.', {
  type: 'Kind of attachment. The REST document does not list the values.',
  title: 'Title of the attachment.',
  content: 'Content of the attachment. The REST document does not specify its format.',
  transcriptionId: ['ID', 'Id of a transcription. The REST document does not specify its format.'],
});

const messageRef = objectType<rest.Message>('Message', 'One message of a conversation.', {
  author: 'Author of the message.',
  role: 'Role of the author. The REST document does not list the values.',
  createdAt: 'When it was written. The REST document does not specify the format.',
  text: 'The message as text.',
  isInternal: ['Boolean', 'Whether it is meant for the provider alone.'],
  rawBody: 'The message as it arrived. The REST document does not specify its format.',
  attachments: [[attachmentRef], 'What is attached to the message.'],
});

const participantClientRef = objectType<rest.ParticipantClient>(
  'ParticipantClient',
  'A client who takes part in a conversation.',
  {
    name: 'Name of the client.',
    primaryPhoneNumber: 'The phone number to use first.',
    primaryEmail: 'The e-mail address to use first.',
  },
);

const participantsRef = objectType<rest.Participants>('Participants', 'The participants of a conversation.', {
  agents: [['String'], "The provider's people. The REST document does not specify whether by name or by id."],
  clients: [[participantClientRef], 'The clients.'],
});

const associatedConversationRef = objectType<rest.AssociatedConversation>(
  'AssociatedConversation',
  'An earlier conversation about the same site.',
  {
    friendlyId: 'Id of the conversation, for display.',
    subject: 'What it was about.',
    status: 'Its status. The REST document does not list the values.',
    statusLastUpdatedAt: 'When the status was last changed. The REST document does not specify the format.',
    issue: 'What the matter was.',
    resolution: 'How it was settled.',
    shortSummary: 'A short summary.',
  },
);

const conversationSiteRef = objectType<rest.ConversationSite>(
  'ConversationSite',
  'A site as a conversation mentions it.',
  {
    id: ['ID', 'Id of the site.'],
    address: 'Address of the site, in one text.',
    serviceLevel: 'Level of service, as text: here the REST document does not list the values.',
    associatedConversations: [[associatedConversationRef], 'Earlier conversations about the site.'],
  },
  (t) => ({
    site: t.field({
      type: siteRef,
      description:
        'The site itself. Selecting it makes one REST call for each distinct site; null if it does not exist or is not yours.',
      extensions: { resourceInData: 'site' satisfies Resource['kind'] },
      resolve: ({ id }, _, { loaders, input }, info) => {
        if (id == null) return null;
        if (!input.isSiteId(id)) throw invalidValue('a site id');
        return loaders.site(id, includesOf(info), info);
      },
    }),
  }),
);

const filterBy = (isInternal: boolean) =>
  memoized((messages: rest.Message[]) => messages.filter((message) => message.isInternal === isInternal));

/** A list is filtered once, however many copies of it an operation selects. */
const messagesWhere = { true: filterBy(true), false: filterBy(false) };

const conversationContextRef = objectType<rest.ConversationContext>(
  'ConversationContext',
  'A support conversation: its messages, its participants and the sites it is about.',
  {
    id: ['ID!', 'The requested id, a UUID in lower case.'],
    subject: 'What the conversation is about.',
    status: 'Status of the conversation. The REST document does not list the values.',
    type: 'Kind of conversation. The REST document does not list the values.',
    urgency: 'How urgent it is. The REST document does not list the values.',
    labels: [['String'], 'Labels of the conversation.'],
    requester: 'Person who made the request.',
    participants: [participantsRef, 'The participants.'],
    sites: [[conversationSiteRef], 'The sites that the conversation is about.'],
  },
  (t) => ({
    messages: t.field({
      type: [messageRef],
      description:
        'Messages, in the order of the REST API. It sends them whole: the arguments shorten the response and cost nothing.',
      args: {
        first: t.arg.int({ description: 'At most this many, from the start. Not together with `last`.' }),
        last: t.arg.int({ description: 'At most this many, from the end. Not together with `first`.' }),
        isInternal: t.arg.boolean({
          description: 'Only those whose `isInternal` is this, taken before `first` and `last` count.',
        }),
      },
      resolve: ({ messages }, { isInternal, ...slice }) =>
        messages && sliceOf(isInternal == null ? messages : messagesWhere[`${isInternal}`](messages), slice),
    }),
  }),
);

const slicedFields = cacheBySelection((info: GraphQLResolveInfo) => {
  const type = objectTypesOf(info.returnType).find(({ name }) => name === 'ConversationContext');
  if (!type) return { value: [], isConstant: true };
  const { fields, isConstant } = selectedFields(type, info.fieldNodes, info);
  const value = [...fields.values()].flatMap(([node]) => {
    const definition = node?.arguments?.length ? type.getFields()[node.name.value] : undefined;
    return node && definition ? [{ node, definition }] : [];
  });
  return { value, isConstant };
});

/** Checks the slices of messages that a field selects, before its REST call. @throws InputError */
export function checkSlices(info: GraphQLResolveInfo): void {
  for (const { node, definition } of slicedFields(info))
    sliceOf([], getArgumentValues(definition, node, info.variableValues));
}

builder.queryFields((t) => ({
  conversationContext: t.field({
    type: conversationContextRef,
    description: 'The context of one conversation; null when it does not exist or is not yours.',
    args: { id: t.arg.id({ required: true, description: 'Id of the conversation, a UUID in any case.' }) },
    extensions: { resources: resourcesNamed('conversation') },
    resolve: (_, { id }, { input, loaders }, info) => {
      checkSlices(info);
      return loaders.conversationContext(input.conversationId(id), info);
    },
  }),
  conversationContexts: t.field({
    type: [conversationContextRef],
    nullable: { list: false, items: true },
    description:
      'The contexts of several conversations, in the order and number of `ids`. A failed one is null, with its own error; a duplicate is loaded once.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of the conversations, at most 50.' }) },
    extensions: { resources: resourcesNamed('conversation') },
    resolve: (_, { ids }, { input, loaders }, info) => {
      checkSlices(info);
      const load = (id: string) => loaders.conversationContext(input.conversationId(id), info);
      return settleEach(input.idList(ids), load);
    },
  }),
}));
