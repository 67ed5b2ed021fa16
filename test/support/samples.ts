import fc, { type Arbitrary } from 'fast-check';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { contract } from './contract.ts';

/** A JSON value that the upstream may send, and what the response has for it; `anything`: not defined. */
export interface Sample {
  json: unknown;
  want: unknown;
}

/** Equals everything for `expect`. */
export const anything = { asymmetricMatch: () => true };
const junk = fc.jsonValue({ maxDepth: 2 }).map((json): Sample => ({ json, want: anything }));
const absent = fc.constant<Sample>({ json: undefined, want: null });

function conformant<T>(values: Arbitrary<T>): Arbitrary<Sample> {
  // As JSON has it, which knows no -0.
  return values.map((value) => ({ json: value, want: JSON.parse(JSON.stringify(value)) }));
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
const day = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const dateTime = fc
  .tuple(
    day,
    fc.constantFrom('', '.5', '.000000001'),
    fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+05:30', '-11:00'),
  )
  .map(([at, fraction, offset]) => at.toISOString().slice(0, 19) + fraction + offset);

const scalars: Record<string, Arbitrary<Sample>> = {
  ID: text,
  String: text,
  Boolean: conformant(fc.boolean()),
  Float: conformant(fc.double({ noNaN: true, noDefaultInfinity: true })),
  Date: conformant(day.map((at) => at.toISOString().slice(0, 10))),
  DateTime: conformant(dateTime),
};

/** The fields that the gateway adds to those of the REST API. */
export const addedFields: readonly string[] = [
  ...['Site.serviceLevelLabel', 'Site.primaryClient', 'Site.primaryProject'],
  ...['ConversationContext.id', 'ConversationSite.site'],
];

/** Fields that the REST API does not send under this name, or not as text of any kind. */
const apart = [...addedFields, 'Site.id', 'Site.serviceLevel'];

/** The fields of a type of the contract that the REST API sends. */
export function sentFields(
  type: GraphQLObjectType,
  without: readonly string[],
): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields()).filter(({ name }) => !without.includes(`${type.name}.${name}`));
}

/** Any value of a type of the contract: an object with all of its fields. */
function sampleOf(type: GraphQLOutputType, more: Record<string, Arbitrary<Sample>> = {}): Arbitrary<Sample> {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return list(sampleOf(nullable.ofType));
  if (!isObjectType(nullable)) return scalars[getNamedType(nullable).name] ?? text;
  const fields = sentFields(nullable, apart).map(({ name, type }) => [name, field(sampleOf(type))]);
  return record({ ...more, ...Object.fromEntries(fields) });
}

/** Responses for the site `id`, in every form that the gateway must handle. */
export function siteSamples(id: string): Arbitrary<Sample> {
  return sampleOf(contract.getType('Site') as GraphQLOutputType, { id: fc.constant({ json: id, want: id }) });
}

/** Responses for a conversation, likewise. */
export const contextSamples = sampleOf(contract.getType('ConversationContext') as GraphQLOutputType);
