import { invalidValue } from '../../errors.ts';
import { problemOfSlice, sliceOf } from '../../input.ts';
import type { ConversationContext, ConversationSite, Message } from '../../upstream/resources.ts';
import { builder, type Element } from '../builder.ts';
import { type Resource, resourcesNamed, settleEach } from '../resources.ts';
import { includesOf } from '../selections.ts';
import { siteRef } from './site.ts';

type Participants = NonNullable<ConversationContext['participants']>;

const attachmentRef = builder.objectRef<Element<Message['attachments']>>('Attachment').implement({
  description: 'Something attached to a message.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'Kind of attachment. The REST document does not list the values.',
    }),
    title: t.exposeString('title', { description: 'Title of the attachment.' }),
    content: t.exposeString('content', {
      description: 'Content of the attachment. The REST document does not specify its format.',
    }),
    transcriptionId: t.exposeID('transcriptionId', {
      description: 'Id of a transcription. The REST document does not specify its format.',
    }),
  }),
});

const messageRef = builder.objectRef<Message>('Message').implement({
  description: 'One message of a conversation.',
  fields: (t) => ({
    author: t.exposeString('author', { description: 'Author of the message.' }),
    role: t.exposeString('role', {
      description: 'Role of the author. The REST document does not list the values.',
    }),
    createdAt: t.exposeString('createdAt', {
      description: 'When it was written. The REST document does not specify the format.',
    }),
    text: t.exposeString('text', { description: 'The message as text.' }),
    isInternal: t.exposeBoolean('isInternal', { description: 'Whether it is meant for the provider alone.' }),
    rawBody: t.exposeString('rawBody', {
      description: 'The message as it arrived. The REST document does not specify its format.',
    }),
    attachments: t.expose('attachments', {
      type: [attachmentRef],
      description: 'What is attached to the message.',
    }),
  }),
});

const participantClientRef = builder
  .objectRef<Element<Participants['clients']>>('ParticipantClient')
  .implement({
    description: 'A client who takes part in a conversation.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the client.' }),
      primaryPhoneNumber: t.exposeString('primaryPhoneNumber', {
        description: 'The phone number to use first.',
      }),
      primaryEmail: t.exposeString('primaryEmail', { description: 'The e-mail address to use first.' }),
    }),
  });

const participantsRef = builder.objectRef<Participants>('Participants').implement({
  description: 'The participants of a conversation.',
  fields: (t) => ({
    agents: t.exposeStringList('agents', {
      description: "The provider's people. The REST document does not specify whether by name or by id.",
    }),
    clients: t.expose('clients', {
      type: [participantClientRef],
      description: 'The clients.',
    }),
  }),
});

const associatedConversationRef = builder
  .objectRef<Element<ConversationSite['associatedConversations']>>('AssociatedConversation')
  .implement({
    description: 'An earlier conversation about the same site.',
    fields: (t) => ({
      friendlyId: t.exposeString('friendlyId', { description: 'Id of the conversation, for display.' }),
      subject: t.exposeString('subject', { description: 'What it was about.' }),
      status: t.exposeString('status', {
        description: 'Its status. The REST document does not list the values.',
      }),
      statusLastUpdatedAt: t.exposeString('statusLastUpdatedAt', {
        description: 'When the status was last changed. The REST document does not specify the format.',
      }),
      issue: t.exposeString('issue', { description: 'What the matter was.' }),
      resolution: t.exposeString('resolution', { description: 'How it was settled.' }),
      shortSummary: t.exposeString('shortSummary', { description: 'A short summary.' }),
    }),
  });

const conversationSiteRef = builder.objectRef<ConversationSite>('ConversationSite').implement({
  description: 'A site as a conversation mentions it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the site.' }),
    address: t.exposeString('address', { description: 'Address of the site, in one text.' }),
    serviceLevel: t.exposeString('serviceLevel', {
      description: 'Level of service, as text: here the REST document does not list the values.',
    }),
    associatedConversations: t.expose('associatedConversations', {
      type: [associatedConversationRef],
      description: 'Earlier conversations about the site.',
    }),
    site: t.field({
      type: siteRef,
      description:
        'The site itself. Selecting it makes one REST call for each distinct site; null where it does not exist or is not yours.',
      extensions: { resourceInData: 'site' satisfies Resource['kind'], reads: ['ConversationSite.id'] },
      resolve: ({ id }, _, { loaders, input }, info) => {
        if (id === null) return null;
        if (!input.isSiteId(id)) throw invalidValue('a site id');
        return loaders.site(id, includesOf(info), info);
      },
    }),
  }),
});

const byInternal = { true: new WeakMap<Message[], Message[]>(), false: new WeakMap<Message[], Message[]>() };

/** A list is filtered once, however many copies of it an operation selects. */
function messagesWhere(messages: Message[], isInternal: boolean): readonly Message[] {
  const known = byInternal[`${isInternal}`];
  const before = known.get(messages);
  if (before) return before;
  const matching = messages.filter((message) => message.isInternal === isInternal);
  known.set(messages, matching);
  return matching;
}

const conversationContextRef = builder.objectRef<ConversationContext>('ConversationContext').implement({
  description: 'A support conversation: its messages, its participants and the sites it is about.',
  fields: (t) => ({
    id: t.exposeID('id', {
      nullable: false,
      description: 'The requested id, a UUID in lower case.',
    }),
    subject: t.exposeString('subject', { description: 'What the conversation is about.' }),
    messages: t.field({
      type: [messageRef],
      description:
        'Messages, in the order of the REST API. It sends them whole: the arguments shorten the response and cost nothing.',
      args: {
        first: t.arg.int({ description: 'Only the first so many. Not together with `last`.' }),
        last: t.arg.int({ description: 'Only the last so many. Not together with `first`.' }),
        isInternal: t.arg.boolean({
          description: 'Only those whose `isInternal` is this, taken before `first` and `last` count.',
        }),
      },
      extensions: { flawOfArguments: problemOfSlice, reads: ['Message.isInternal'] },
      resolve: ({ messages }, { isInternal, ...slice }) =>
        messages && sliceOf(isInternal == null ? messages : messagesWhere(messages, isInternal), slice),
    }),
    status: t.exposeString('status', {
      description: 'Status of the conversation. The REST document does not list the values.',
    }),
    type: t.exposeString('type', {
      description: 'Kind of conversation. The REST document does not list the values.',
    }),
    urgency: t.exposeString('urgency', {
      description: 'How urgent it is. The REST document does not list the values.',
    }),
    labels: t.exposeStringList('labels', {
      description: 'Labels of the conversation.',
    }),
    requester: t.exposeString('requester', { description: 'Person who made the request.' }),
    participants: t.expose('participants', {
      type: participantsRef,
      description: 'The participants.',
    }),
    sites: t.expose('sites', {
      type: [conversationSiteRef],
      description: 'The sites that the conversation is about.',
    }),
  }),
});

builder.queryFields((t) => ({
  conversationContext: t.field({
    type: conversationContextRef,
    description: 'The context of one conversation; null when it does not exist or is not yours.',
    args: { id: t.arg.id({ required: true, description: 'Id of the conversation, a UUID in any case.' }) },
    extensions: { resources: resourcesNamed('conversation') },
    resolve: (_, { id }, { input, loaders }, info) =>
      loaders.conversationContext(input.conversationId(id), info),
  }),
  conversationContexts: t.field({
    type: [conversationContextRef],
    nullable: { list: false, items: true },
    description:
      'The contexts of several conversations, in the order and number of `ids`. A failed one is null, with its own error; a duplicate is loaded once.',
    args: {
      ids: t.arg.idList({
        required: true,
        description: 'Ids of the conversations, at most 50 unless the gateway is set otherwise.',
      }),
    },
    extensions: { resources: resourcesNamed('conversation') },
    resolve: (_, { ids }, { input, loaders }, info) =>
      settleEach(input.idList(ids), (id) => loaders.conversationContext(input.conversationId(id), info)),
  }),
}));
