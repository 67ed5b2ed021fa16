import type { Client, Email, PhoneNumber } from '../../upstream/resources.ts';
import { builder } from '../builder.ts';

const emailRef = builder.objectRef<Email>('Email').implement({
  description: 'An e-mail address of a client.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID of this e-mail address.' }),
    value: t.exposeString('value', { description: 'The e-mail address itself.' }),
    label: t.exposeString('label', { description: 'What the address is for; a free text.' }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the address to use first.' }),
  }),
});

const phoneNumberRef = builder.objectRef<PhoneNumber>('PhoneNumber').implement({
  description: 'A phone number of a client.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID of this phone number.' }),
    value: t.exposeString('value', {
      description: 'The number itself. The REST document does not specify its format.',
    }),
    ext: t.exposeFloat('ext', { description: 'Extension, a JSON number in the REST API.' }),
    label: t.exposeString('label', { description: 'What the number is for; a free text.' }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the number to use first.' }),
  }),
});

export const clientRef = builder.objectRef<Client>('Client').implement({
  description: 'A person or an organisation that belongs to a site.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the client. The REST document does not specify its format.' }),
    name: t.exposeString('name', { description: 'Full name, for display.' }),
    firstName: t.exposeString('firstName', { description: 'First name.' }),
    lastName: t.exposeString('lastName', { description: 'Last name.' }),
    partnerName: t.exposeString('partnerName', {
      description:
        'A partner name. The REST document does not specify whether of the business or of the household.',
    }),
    marketingOptOut: t.exposeBoolean('marketingOptOut', {
      description: 'Whether the client has declined marketing messages.',
    }),
    emails: t.expose('emails', {
      type: [emailRef],
      nullable: { list: true, items: false },
      description: 'E-mail addresses of the client.',
    }),
    phoneNumbers: t.expose('phoneNumbers', {
      type: [phoneNumberRef],
      nullable: { list: true, items: false },
      description: 'Phone numbers of the client.',
    }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the main client of the site.' }),
  }),
});
