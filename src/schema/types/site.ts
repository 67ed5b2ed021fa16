import type { GraphQLResolveInfo } from 'graphql';
import { isPromise } from '../../sync-promise.ts';
import type { UpstreamError } from '../../upstream/errors.ts';
import type { Client, Project, Relation, ServiceLevel, Site } from '../../upstream/resources.ts';
import { builder, type Context, type Element } from '../builder.ts';
import { resourcesNamed, settleEach } from '../resources.ts';
import { includesOf } from '../selections.ts';

const emailRef = builder.objectRef<Element<Client['emails']>>('Email').implement({
  description: 'An e-mail address of a client.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID of this e-mail address.' }),
    value: t.exposeString('value', { description: 'The e-mail address itself.' }),
    label: t.exposeString('label', { description: 'What the address is for; a free text.' }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the address to use first.' }),
  }),
});

const phoneNumberRef = builder.objectRef<Element<Client['phoneNumbers']>>('PhoneNumber').implement({
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

const clientRef = builder.objectRef<Client>('Client').implement({
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
      description: 'E-mail addresses of the client.',
    }),
    phoneNumbers: t.expose('phoneNumbers', {
      type: [phoneNumberRef],
      description: 'Phone numbers of the client.',
    }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the main client of the site.' }),
  }),
});

const projectRef = builder.objectRef<Project>('Project').implement({
  description: 'A piece of work at a site, from its planning to the end of its warranty.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID of the project.' }),
    name: t.exposeString('name', { description: 'Name of the project.' }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the main project of the site.' }),
    stage: t.exposeString('stage', {
      description: 'How far the project is. The REST document does not list the values.',
    }),
    estimatedDay1: t.expose('estimatedDay1', {
      type: 'Date',
      description: 'The day on which work is expected to start.',
    }),
    day1StartDate: t.expose('day1StartDate', { type: 'Date', description: 'The day on which work starts.' }),
    warrantyExpiration: t.expose('warrantyExpiration', {
      type: 'Date',
      description: 'The last day of the warranty.',
    }),
    signingDate: t.expose('signingDate', {
      type: 'Date',
      description: 'The day on which the contract was signed.',
    }),
  }),
});

const meanings: Record<ServiceLevel, string> = {
  INACTIVE: '"Inactive" in the REST API.',
  NON_MEMBER: '"Non-Member" in the REST API.',
  WARRANTY_ESSENTIALS: '"Warranty Essentials" in the REST API.',
  CPP_ESSENTIALS_PLUS: '"CPP Essentials Plus" in the REST API.',
  ESSENTIALS_PLUS: '"Essentials Plus" in the REST API.',
  CPP_PRIORITY: '"CPP Priority" in the REST API.',
  PRIORITY: '"Priority" in the REST API.',
  CPP_PROACTIVE: '"CPP Proactive" in the REST API.',
  PROACTIVE: '"Proactive" in the REST API.',
  CPP_SIGNATURE: '"CPP Signature" in the REST API.',
  SIGNATURE: '"Signature" in the REST API.',
  SECURE: '"Secure" in the REST API.',
  INTERNAL: '"… - Internal" in the REST API, after the provider\'s own name.',
  LEGACY: '"Legacy" in the REST API.',
  UNRECOGNIZED: 'A level that this schema does not know yet: `serviceLevelLabel` has its text.',
};

const serviceLevelRef = builder.enumType('ServiceLevel', {
  description:
    'The level of service that a site has. The REST document specifies neither the rank nor the transitions.',
  values: Object.fromEntries(
    Object.entries(meanings).map(([name, description]) => [name, { description }]),
  ) as Record<ServiceLevel, { description: string }>,
});

const accountManagerRef = builder.objectRef<NonNullable<Site['accountManager']>>('AccountManager').implement({
  description: "The provider's employee who looks after a site's account.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID of the account manager.' }),
    firstName: t.exposeString('firstName', { description: 'First name.' }),
    lastName: t.exposeString('lastName', { description: 'Last name.' }),
  }),
});

export const siteRef = builder.objectRef<Site>('Site').implement({
  description:
    'A home or an office that the provider looks after: a street address and all that belongs to it.',
  fields: (t) => ({
    id: t.exposeID('id', {
      nullable: false,
      description: "The provider's prefix word, a hyphen, then any text: SITE-1001.",
    }),
    address1: t.exposeString('address1', { description: 'First line of the street address.' }),
    address2: t.exposeString('address2', { description: 'Second line of the street address.' }),
    city: t.exposeString('city', { description: 'City of the address.' }),
    state: t.exposeString('state', { description: 'State of the address.' }),
    zip: t.exposeString('zip', { description: 'Postal code of the address, a text.' }),
    tosAccepted: t.exposeString('tosAccepted', {
      description:
        'About the acceptance of the terms of service. The REST document does not specify its format.',
    }),
    serviceLevel: t.expose('serviceLevel', {
      type: serviceLevelRef,
      description: 'Level of service; `UNRECOGNIZED` for one that this schema does not know.',
    }),
    serviceLevelLabel: t.exposeString('serviceLevelLabel', {
      description: 'Level of service, the exact text of the REST API, for display.',
    }),
    clientSegment: t.exposeString('clientSegment', {
      description: 'Segment of the clients. The REST document does not list the values.',
    }),
    cppExpDate: t.expose('cppExpDate', {
      type: 'DateTime',
      description: 'When the CPP expires. The REST document does not explain the abbreviation CPP.',
    }),
    businessName: t.exposeString('businessName', { description: 'Name of the business at the site.' }),
    brandId: t.exposeID('brandId', {
      description: 'Id of a brand. The REST document does not specify its format.',
    }),
    primaryClientId: t.exposeID('primaryClientId', {
      description: 'Id of the main client; `primaryClient` is the client itself.',
    }),
    primaryProjectId: t.exposeID('primaryProjectId', {
      description: 'Id of the main project; `primaryProject` is the project itself.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the site was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the site was last changed.' }),
    sla: t.exposeFloat('sla', {
      description: 'Service level agreement, a JSON number. The REST document does not specify its unit.',
    }),
    isMonitored: t.exposeBoolean('isMonitored', { description: 'Whether the site is monitored.' }),
    accountManager: t.expose('accountManager', {
      type: accountManagerRef,
      description: "The provider's employee who looks after the account.",
    }),
    membershipRegistered: t.exposeBoolean('membershipRegistered', {
      description: 'Whether the membership is registered.',
    }),
    clients: t.field({
      type: [clientRef],
      description: 'The clients of the site. Selecting them makes the REST API expand `clients`.',
      extensions: { include: 'clients' satisfies Relation },
      resolve: (site, _, context, info) => relationOf(site, 'clients', context, info),
    }),
    projects: t.field({
      type: [projectRef],
      description: 'The projects of the site. Selecting them makes the REST API expand `projects`.',
      extensions: { include: 'projects' satisfies Relation },
      resolve: (site, _, context, info) => relationOf(site, 'projects', context, info),
    }),
    primaryClient: t.field({
      type: clientRef,
      description:
        'The client whose id is `primaryClientId`, else the first one marked as primary. Selecting it makes the REST API expand `clients`.',
      extensions: {
        include: 'clients' satisfies Relation,
        reads: ['Site.primaryClientId', 'Client.id', 'Client.isPrimary'],
      },
      resolve: (site, _, context, info) =>
        primaryIn(relationOf(site, 'clients', context, info), site.primaryClientId),
    }),
    primaryProject: t.field({
      type: projectRef,
      description:
        'The project whose id is `primaryProjectId`, else the first one marked as primary. Selecting it makes the REST API expand `projects`.',
      extensions: {
        include: 'projects' satisfies Relation,
        reads: ['Site.primaryProjectId', 'Project.id', 'Project.isPrimary'],
      },
      resolve: (site, _, context, info) =>
        primaryIn(relationOf(site, 'projects', context, info), site.primaryProjectId),
    }),
  }),
});

builder.queryFields((t) => ({
  site: t.field({
    type: siteRef,
    description: 'One site; null when it does not exist or is not yours.',
    args: { id: t.arg.id({ required: true, description: 'Id of the site: SITE-1001.' }) },
    extensions: { resources: resourcesNamed('site') },
    resolve: (_, { id }, { input, loaders }, info) => loaders.site(input.siteId(id), includesOf(info), info),
  }),
  sites: t.field({
    type: [siteRef],
    nullable: { list: false, items: true },
    description:
      'Several sites, in the order and number of `ids`. A failed one is null, with its own error; a duplicate is loaded once.',
    args: {
      ids: t.arg.idList({
        required: true,
        description: 'Ids of the sites, at most 50 unless the gateway is set otherwise.',
      }),
    },
    extensions: { resources: resourcesNamed('site') },
    resolve: (_, { ids }, { input, loaders }, info) => {
      const include = includesOf(info);
      return settleEach(input.idList(ids), (id) => loaders.site(input.siteId(id), include, info));
    },
  }),
}));

type Items<R extends Relation> = Exclude<NonNullable<Site[R]>, UpstreamError> | null;

/**
 * The relation of a site. This is the guarantee behind the look-ahead: a relation that the site lacks is
 * loaded. Most sites came with what is read of them, and a promise for each would cost more than the reading.
 */
function relationOf<R extends Relation>(
  site: Site,
  relation: R,
  { loaders, input }: Context,
  info: GraphQLResolveInfo,
): Items<R> | Promise<Items<R>> {
  if (site[relation] !== undefined) return itemsOf(site, relation);
  const loaded: Promise<Site | null> = loaders.site(input.siteId(site.id), [relation], info);
  return loaded.then((expanded) => expanded && itemsOf(expanded, relation));
}

function itemsOf<R extends Relation>(site: Site, relation: R): Items<R> {
  const items = site[relation] ?? null;
  if (items instanceof Error) throw items;
  return items as Items<R>;
}

interface Primary {
  id: string | null;
  isPrimary: boolean | null;
}

function primaryIn<T extends Primary>(
  items: readonly T[] | null | Promise<readonly T[] | null>,
  id: string | null,
): T | null | Promise<T | null> {
  return isPromise(items) ? items.then((loaded) => primaryOf(loaded, id)) : primaryOf(items, id);
}

const primaries = new WeakMap<readonly Primary[], { id: string | null; primary: Primary | null }>();

/** A relation is searched once, however many copies of its site an operation selects. */
function primaryOf<T extends Primary>(items: readonly T[] | null, id: string | null): T | null {
  if (items === null) return null;
  const before = primaries.get(items);
  if (before?.id === id) return before.primary as T | null;
  const named = id === null ? undefined : items.find((item) => item.id === id);
  const primary = named ?? items.find((item) => item.isPrimary === true) ?? null;
  primaries.set(items, { id, primary });
  return primary;
}
