import fc, { type Arbitrary } from 'fast-check';

/** A JSON value that the upstream may send, and the expected value in the response; `anything` where none is defined. */
export interface Sample {
  json: unknown;
  want: unknown;
}

export const anything = Symbol('anything');
const junk = fc.jsonValue({ maxDepth: 2 }).map((json): Sample => ({ json, want: anything }));
const absent = fc.constant<Sample>({ json: undefined, want: null });

function conformant<T>(values: Arbitrary<T>): Arbitrary<Sample> {
  return values.map((value) => ({ json: value, want: value }));
}

/** A field that usually fits the contract. */
function field(fits: Arbitrary<Sample>): Arbitrary<Sample> {
  return fc.oneof(
    { arbitrary: fits, weight: 8 },
    { arbitrary: absent, weight: 1 },
    { arbitrary: junk, weight: 1 },
  );
}

function record(fields: Record<string, Arbitrary<Sample>>): Arbitrary<Sample> {
  return fc
    .tuple(fc.record(fields), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })))
    .map(([samples, unknown]) => {
      const known = Object.entries(samples);
      const strangers = Object.entries(unknown).filter(([name]) => !(name in fields));
      return {
        json: Object.fromEntries([...strangers, ...known.map(([name, { json }]) => [name, json])]),
        want: Object.fromEntries(known.map(([name, { want }]) => [name, want])),
      };
    });
}

/** A list whose invalid elements are dropped. */
function list(element: Arbitrary<Sample>): Arbitrary<Sample> {
  const misfit = fc
    .constantFrom<unknown>(null, 5, true, ['x'])
    .map((json): Sample => ({ json, want: anything }));
  return fc
    .array(fc.oneof({ arbitrary: element, weight: 8 }, { arbitrary: misfit, weight: 1 }), { maxLength: 3 })
    .map((all) => ({
      json: all.map(({ json }) => json),
      want: all.map(({ want }) => want).filter((want) => want !== anything),
    }));
}

const text = conformant(
  fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '<script>', '\u2028')),
);
const string = field(text);
const boolean = field(conformant(fc.boolean()));
const number = field(conformant(fc.double({ noNaN: true, noDefaultInfinity: true })));
const day = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const date = field(conformant(day.map((at) => at.toISOString().slice(0, 10))));
const dateTime = field(
  conformant(
    fc
      .tuple(
        day,
        fc.constantFrom('', '.5', '.000000001'),
        fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+05:30', '-11:00'),
      )
      .map(([at, fraction, offset]) => at.toISOString().slice(0, 19) + fraction + offset),
  ),
);

const person = { id: string, firstName: string, lastName: string };
const client = record({
  ...person,
  name: string,
  partnerName: string,
  marketingOptOut: boolean,
  emails: field(list(record({ id: string, value: string, label: string, isPrimary: boolean }))),
  phoneNumbers: field(
    list(record({ id: string, value: string, ext: number, label: string, isPrimary: boolean })),
  ),
  isPrimary: boolean,
});
const project = record({
  id: string,
  name: string,
  isPrimary: boolean,
  stage: string,
  estimatedDay1: date,
  day1StartDate: date,
  warrantyExpiration: date,
  signingDate: date,
});

/** Responses for the site `id`, in every form that the gateway must handle. */
export function siteSamples(id: string): Arbitrary<Sample> {
  return record({
    id: fc.constant({ json: id, want: id }),
    address1: string,
    address2: string,
    city: string,
    state: string,
    zip: string,
    tosAccepted: string,
    clientSegment: string,
    cppExpDate: dateTime,
    businessName: string,
    brandId: string,
    primaryClientId: string,
    primaryProjectId: string,
    createdAt: dateTime,
    updatedAt: dateTime,
    sla: number,
    isMonitored: boolean,
    accountManager: field(record(person)),
    membershipRegistered: boolean,
    clients: field(list(client)),
    projects: field(list(project)),
  });
}

const message = record({
  author: string,
  role: string,
  createdAt: string,
  text: string,
  isInternal: boolean,
  rawBody: string,
  attachments: field(list(record({ type: string, title: string, content: string, transcriptionId: string }))),
});
const associatedConversation = record({
  friendlyId: string,
  subject: string,
  status: string,
  statusLastUpdatedAt: string,
  issue: string,
  resolution: string,
  shortSummary: string,
});

/** Responses for a conversation, likewise. */
export const contextSamples: Arbitrary<Sample> = record({
  subject: string,
  messages: field(list(message)),
  status: string,
  type: string,
  urgency: string,
  labels: field(list(text)),
  requester: string,
  participants: field(
    record({
      agents: field(list(text)),
      clients: field(list(record({ name: string, primaryPhoneNumber: string, primaryEmail: string }))),
    }),
  ),
  sites: field(
    list(
      record({
        address: string,
        serviceLevel: string,
        id: string,
        associatedConversations: field(list(associatedConversation)),
      }),
    ),
  ),
});
