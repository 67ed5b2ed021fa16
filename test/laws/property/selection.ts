import fc from 'fast-check';
import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';

/** The structure of an operation, which fast-check generates and shrinks. */
export type Selection = FieldSelection | InlineSelection | SpreadSelection;

export interface FieldSelection extends Guards {
  kind: 'field';
  name: string;
  /** With an alias, beside the same field without one. */
  renamed: boolean;
  /** Which of the operation's argument lists the field uses, if it has arguments. */
  variant: number;
  selections: Selection[];
}

interface InlineSelection extends Guards, Deferral {
  kind: 'inline';
  conditioned: boolean;
  selections: Selection[];
}

interface SpreadSelection extends Guards, Deferral {
  kind: 'spread';
  fragment: number;
}

export interface Guards {
  skip?: Condition;
  include?: Condition;
}

export interface Deferral {
  defer: { condition: Condition | null; labelled: boolean } | null;
}

/** A literal, or the number of one of the operation's flags. */
export type Condition = boolean | number;

export const flagCount = 4;
export const variantCount = 3;
export const fragmentCount = 2;

/** Selections and fragment bodies for every object type, by the type's name. */
export type Drawn = Record<string, fc.Arbitrary<Selection[]>>;

/** Random selections of all fields of the schema except the `unpredictable` ones. */
export function selectionsOf(schema: GraphQLSchema, deferring: boolean, excluded: readonly string[]): Drawn {
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );
  return fc.letrec<Record<string, Selection[]>>((tie) =>
    Object.fromEntries(types.map((type) => [type.name, selectionSet(type, deferring, excluded, tie)])),
  );
}

function selectionSet(
  type: GraphQLObjectType,
  deferring: boolean,
  excluded: readonly string[],
  tie: (type: string) => fc.Arbitrary<Selection[]>,
): fc.Arbitrary<Selection[]> {
  const fields = Object.values(type.getFields()).filter(
    ({ name }) => !excluded.includes(`${type.name}.${name}`),
  );
  const objects = fields.filter((field) => isObjectType(getNamedType(field.type)));
  const leaves = [
    '__typename',
    ...fields.filter((field) => !objects.includes(field)).map(({ name }) => name),
  ];
  const deferral = fc.record({ defer: deferring ? deferrals : fc.constant(null) });

  const leaf = field(fc.constantFrom(...leaves), fc.constant([]));
  const composites = objects.map(({ name, type }) => ({
    weight: leadsToSite(getNamedType(type)) ? 3 : 1,
    arbitrary: field(fc.constant(name), tie(getNamedType(type).name)),
  }));
  const inline = fc.record({
    kind: fc.constant('inline' as const),
    conditioned: fc.boolean(),
    selections: tie(type.name),
  });
  const spread = fc.record({
    kind: fc.constant('spread' as const),
    fragment: fc.nat(fragmentCount - 1),
  });
  const selection = fc.oneof(
    { maxDepth: 16, depthSize: 'max' },
    { weight: Math.min(leaves.length, 4), arbitrary: leaf },
    ...composites,
    { weight: 1, arbitrary: together(inline, guards, deferral) },
    { weight: leadsToSite(type) ? 5 : 1, arbitrary: together(spread, guards, deferral) },
  );
  return fc.array(selection, { minLength: 1, maxLength: leadsToSite(type) ? 4 : 2, size: 'max' });
}

/** The fields that cause calls, which are selected more often. */
function leadsToSite(type: GraphQLNamedType): boolean {
  if (!isObjectType(type) || type.name === 'Site') return isObjectType(type);
  return Object.values(type.getFields()).some((field) => leadsToSite(getNamedType(field.type)));
}

function field(name: fc.Arbitrary<string>, selections: fc.Arbitrary<Selection[]>) {
  const drawn = fc.record({
    kind: fc.constant('field' as const),
    name,
    renamed: seldom(true, false),
    variant: fc.nat(variantCount - 1),
    selections,
  });
  return together(drawn, guards);
}

const conditions: fc.Arbitrary<Condition> = fc.oneof(fc.boolean(), fc.nat(flagCount - 1));

const guards: fc.Arbitrary<Guards> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ skip: conditions }) },
  { weight: 1, arbitrary: fc.record({ include: conditions }) },
  { weight: 1, arbitrary: fc.record({ skip: conditions, include: conditions }) },
);

const deferrals: fc.Arbitrary<Deferral['defer']> = fc.option(
  fc.record({ condition: fc.option(conditions, { freq: 2 }), labelled: fc.boolean() }),
  { freq: 2 },
);

function seldom<T>(rare: T, usual: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });
}

/** One of several generated objects. */
function together<A, B, C = object>(
  a: fc.Arbitrary<A>,
  b: fc.Arbitrary<B>,
  c: fc.Arbitrary<C> = fc.constant({} as C),
): fc.Arbitrary<A & B & C> {
  return fc.tuple(a, b, c).map(([x, y, z]) => ({ ...x, ...y, ...z }));
}
