import SchemaBuilder from '@pothos/core';
import { includeOf, serviceLevels } from '../schema.ts';
import type { Api, Conversation, Site } from './api.ts';

type Client = NonNullable<Site['clients']>[number];
type Level = keyof typeof serviceLevels;

const builder = new SchemaBuilder<{
  Context: Api;
  Objects: {
    Site: Site;
    Client: Client;
    Email: Client['emails'][number];
    Project: NonNullable<Site['projects']>[number];
    ConversationContext: Conversation;
    Message: Conversation['messages'][number];
    ConversationSite: Conversation['sites'][number];
  };
}>({});

const levels = Object.entries(serviceLevels).map(([level, value]) => [level, { value }] as const);
const ServiceLevel = builder.enumType('ServiceLevel', { values: Object.fromEntries(levels) });

builder.objectType('Email', {
  fields: (t) => ({
    id: t.exposeID('id'),
    value: t.exposeString('value'),
    label: t.exposeString('label'),
    isPrimary: t.exposeBoolean('isPrimary'),
  }),
});

builder.objectType('Client', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    isPrimary: t.exposeBoolean('isPrimary'),
    emails: t.expose('emails', { type: ['Email'] }),
  }),
});

builder.objectType('Project', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    stage: t.exposeString('stage'),
    isPrimary: t.exposeBoolean('isPrimary'),
  }),
});

builder.objectType('Site', {
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    address1: t.exposeString('address1'),
    address2: t.exposeString('address2'),
    city: t.exposeString('city'),
    state: t.exposeString('state'),
    zip: t.exposeString('zip'),
    businessName: t.exposeString('businessName'),
    serviceLevel: t.field({ type: ServiceLevel, resolve: ({ serviceLevel }) => serviceLevel as Level }),
    clients: t.expose('clients', { type: ['Client'] }),
    projects: t.expose('projects', { type: ['Project'] }),
  }),
});

builder.objectType('Message', {
  fields: (t) => ({
    author: t.exposeString('author'),
    createdAt: t.exposeString('createdAt'),
    text: t.exposeString('text'),
  }),
});

builder.objectType('ConversationSite', {
  fields: (t) => ({
    id: t.exposeID('id'),
    address: t.exposeString('address'),
    serviceLevel: t.exposeString('serviceLevel'),
    site: t.field({
      type: 'Site',
      resolve: ({ id }, _, { sites }, info) => sites.load({ id, include: includeOf(info) }),
    }),
  }),
});

builder.objectType('ConversationContext', {
  fields: (t) => ({
    subject: t.exposeString('subject'),
    status: t.exposeString('status'),
    messages: t.expose('messages', { type: ['Message'] }),
    sites: t.expose('sites', { type: ['ConversationSite'] }),
  }),
});

builder.queryType({
  fields: (t) => ({
    site: t.field({
      type: 'Site',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, { sites }, info) => sites.load({ id, include: includeOf(info) }),
    }),
    sites: t.field({
      type: ['Site'],
      nullable: { list: false, items: true },
      args: { ids: t.arg.idList({ required: true }) },
      resolve: (_, { ids }, { sites }, info) =>
        Promise.all(ids.map((id) => sites.load({ id, include: includeOf(info) }))),
    }),
    conversationContext: t.field({
      type: 'ConversationContext',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, { conversation }) => conversation(id),
    }),
  }),
});

export const schema = builder.toSchema();
