import type { GraphQLResolveInfo } from 'graphql';
import type { UpstreamError } from '../../rest/errors.ts';
import { memoized } from '../../rest/memo.ts';
import type * as rest from '../../rest/resources.ts';
import { type Relation, type Site, serviceLevels } from '../../rest/resources.ts';
import { isPromise } from '../../rest/sync-promise.ts';
import { builder, type Context, objectType } from '../builder.ts';
import { resourcesNamed, settleEach } from '../resources.ts';
import { includesOf } from '../selections.ts';

const emailRef = objectType<rest.Email>('Email', 'An e-mail address of a client.', {
  id: ['ID', 'UUID of this e-mail address.'],
  value: 'The e-mail address itself.',
  label: 'What the address is for; a free text.',
  isPrimary: ['Boolean', 'Whether this is the address to use first.'],
});

const phoneNumberRef = objectType<rest.PhoneNumber>('PhoneNumber', 'A phone number of a client.', {
  id: ['ID', 'UUID of this phone number.'],
  value: 'The number itself. The REST document does not specify its format.',
  ext: ['Float', 'Extension, a JSON number in the REST API.'],
  label: 'What the number is for; a free text.',
  isPrimary: ['Boolean', 'Whether this is the number to use first.'],
});

const clientRef = objectType<rest.Client>('Client', 'A person or an organisation that belongs to a site.', {
  id: ['ID', 'Id of the client. The REST document does not specify its format.'],
  name: 'Full name, for display.',
  firstName: 'First name.',
  lastName: 'Last name.',
  partnerName:
    'A partner name. The REST document does not specify whether of the business or of the household.',
  marketingOptOut: ['Boolean', 'Whether the client has declined marketing messages.'],
  emails: [[emailRef], 'E-mail addresses of the client.'],
  phoneNumbers: [[phoneNumberRef], 'Phone numbers of the client.'],
  isPrimary: ['Boolean', 'Whether this is the main client of the site.'],
});

const projectRef = objectType<rest.Project>(
  'Project',
  'A piece of work at a site, from planning to warranty.',
  {
    id: ['ID', 'UUID of the project.'],
    name: 'Name of the project.',
    isPrimary: ['Boolean', 'Whether this is the main project of the site.'],
    stage: 'How far the project is. The REST document does not list the values.',
    estimatedDay1: ['Date', 'The day on which work is expected to start.'],
    day1StartDate: ['Date', 'The day on which work starts.'],
    warrantyExpiration: ['Date', 'The last day of the warranty.'],
    signingDate: ['Date', 'The day on which the contract was signed.'],
  },
);

const listedLevels = Object.fromEntries(
  Object.entries(serviceLevels).map(([level, label]) => [
    level,
    { description: `"${label}" in the REST API.` },
  ]),
);

const serviceLevelRef = builder.enumType('ServiceLevel', {
  description:
    'The level of service that a site has. The REST document specifies neither the rank nor the transitions.',
  values: {
    ...listedLevels,
    INTERNAL: { description: '"… - Internal" in the REST API, after the provider\'s own name.' },
    UNRECOGNIZED: {
      description: 'A level that this schema does not know: `serviceLevelLabel` has its text.',
    },
  } as Record<NonNullable<Site['serviceLevel']>, { description: string }>,
});

const accountManagerRef = objectType<rest.AccountManager>('AccountManager', 'An employee of the provider.', {
  id: ['ID', 'UUID of the account manager.'],
  firstName: 'First name.',
  lastName: 'Last name.',
});

export const siteRef = objectType<Site>(
  'Site',
  'A home or an office that the provider looks after: a street address and all that belongs to it.',
  {
    id: ['ID!', "The provider's prefix word, a hyphen, then any text: SITE-1001."],
    address1: 'First line of the street address.',
    address2: 'Second line of the street address.',
    city: 'City of the address.',
    state: 'State of the address.',
    zip: 'Postal code of the address, a text.',
    tosAccepted: 'Acceptance of the terms of service. The REST document does not specify its format.',
    serviceLevel: [serviceLevelRef, 'Level of service; `UNRECOGNIZED` if this schema does not know it.'],
    serviceLevelLabel: 'Level of service, the exact text of the REST API, for display.',
    clientSegment: 'Segment of the clients. The REST document does not list the values.',
    cppExpDate: ['DateTime', 'When the CPP expires. The REST document does not say what CPP stands for.'],
    businessName: 'Name of the business at the site.',
    brandId: ['ID', 'Id of a brand. The REST document does not specify its format.'],
    primaryClientId: ['ID', 'Id of the main client; `primaryClient` is the client itself.'],
    primaryProjectId: ['ID', 'Id of the main project; `primaryProject` is the project itself.'],
    createdAt: ['DateTime', 'When the site was created.'],
    updatedAt: ['DateTime', 'When the site was last changed.'],
    sla: ['Float', 'Service level agreement, a JSON number. The REST document does not specify its unit.'],
    isMonitored: ['Boolean', 'Whether the site is monitored.'],
    accountManager: [accountManagerRef, "The provider's employee who looks after the account."],
    membershipRegistered: ['Boolean', 'Whether the membership is registered.'],
  },
  (t) => ({
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
      extensions: { include: 'clients' satisfies Relation },
      resolve: (site, _, context, info) =>
        primaryIn(relationOf(site, 'clients', context, info), site.primaryClientId),
    }),
    primaryProject: t.field({
      type: projectRef,
      description:
        'The project whose id is `primaryProjectId`, else the first one marked as primary. Selecting it makes the REST API expand `projects`.',
      extensions: { include: 'projects' satisfies Relation },
      resolve: (site, _, context, info) =>
        primaryIn(relationOf(site, 'projects', context, info), site.primaryProjectId),
    }),
  }),
);

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
    args: { ids: t.arg.idList({ required: true, description: 'Ids of the sites, at most 50.' }) },
    extensions: { resources: resourcesNamed('site') },
    resolve: (_, { ids }, { input, loaders }, info) => {
      const include = includesOf(info);
      return settleEach(input.idList(ids), (id) => loaders.site(input.siteId(id), include, info));
    },
  }),
}));

type Items<R extends Relation> = Exclude<NonNullable<Site[R]>, UpstreamError> | null;

/** The guarantee behind the look-ahead: loads a relation that is undefined, because it was not requested; null: it is missing. */
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

/** A relation whose call has failed is the error, which is thrown here. */
function itemsOf<R extends Relation>(site: Site, relation: R): Items<R> {
  const items = site[relation] ?? null;
  if (items instanceof Error) throw items;
  return items as Items<R>;
}

type Primary = Pick<rest.Client, 'id' | 'isPrimary'>;

function primaryIn<T extends Primary>(
  items: readonly T[] | null | Promise<readonly T[] | null>,
  id: rest.Site['primaryClientId'],
): T | null | Promise<T | null> {
  if (isPromise(items)) return items.then((loaded) => primaryIn(loaded, id));
  return items && (primaryOf(items, id) as T | null);
}

/** A relation is searched once, however many copies of its site an operation selects: all search for the same `id`. */
const primaryOf = memoized((items: readonly Primary[], id: rest.Site['primaryClientId']) => {
  const named = id == null ? undefined : items.find((item) => item.id === id);
  return named ?? items.find((item) => item.isPrimary === true) ?? null;
});
