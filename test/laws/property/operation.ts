import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  parse,
  print,
} from 'graphql';
import { conversationIds, siteIds } from '../../support/documents.ts';

/** The random choices of an operation, from which its text is derived. */
interface Sketch {
  selections: Selection[];
  /** The bodies of the fragments on each type. */
  fragments: Record<string, Selection[][]>;
  variants: Variants;
  streams: Streams;
  flags: Flag[];
  /** By how many fields each response name is shifted to that of another field of its type: 0 for none. */
  shift: number;
}

/** A Boolean variable: its value in the request, and its default. */
interface Flag {
  given: boolean | undefined;
  fallback: boolean | undefined;
}

export interface Operation {
  text: string;
  variables: Record<string, unknown>;
  /** Which of the received responses is passed on next, see test-setup.ts. */
  order: number[];
}

/** Fields whose values the oracle cannot compute. */
export const unpredictable = ['Health.latencyMs'];

/** Random valid operations: with `defer` their fragments have that directive, with `stream` their lists. */
export function operationsOf(
  schema: GraphQLSchema,
  directives: readonly ('defer' | 'stream')[] = [],
): fc.Arbitrary<Operation> {
  const { Query, ...others } = selectionsOf(schema, directives.includes('defer'));
  if (!Query) throw new Error('The schema has no Query.');
  const bodies = Object.entries({ ...others, Query }).map(
    ([name, body]) => [name, fc.array(body, { minLength: fragmentCount, maxLength: fragmentCount })] as const,
  );
  const sketches: fc.Arbitrary<Sketch> = fc.record({
    selections: Query,
    fragments: fc.record(Object.fromEntries(bodies)),
    variants: variantsOf(schema),
    streams: directives.includes('stream') ? streamsOf(schema) : fc.constant({}),
    flags: fc.array(flags, { minLength: flagCount, maxLength: flagCount }),
    shift: fc.constantFrom(0, 0, 0, 1, 2, 3),
  });
  const orders = fc.array(fc.nat(9), { minLength: 1, maxLength: 6 });
  return fc.tuple(sketches, orders).map(([sketch, order]) => operation(textOf(schema, sketch), order));
}

const flags: fc.Arbitrary<Flag> = fc.oneof(
  fc.record({ given: fc.boolean(), fallback: fc.option(fc.boolean(), { nil: undefined }) }),
  fc.record({ given: fc.constant(undefined), fallback: fc.boolean() }),
);

function operation({ text, variables }: ReturnType<typeof textOf>, order: number[]): Operation {
  const shown = `\n${text}\nvariables ${JSON.stringify(variables)}\norder ${JSON.stringify(order)}\n`;
  return { text, variables, order, [fc.toStringMethod]: () => shown } as Operation;
}

/** The structure of an operation, which fast-check generates and shrinks. */
type Selection = FieldSelection | InlineSelection | SpreadSelection;

interface FieldSelection extends Guards {
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
  /** The type of the condition, if it is another than the type that is selected from. */
  on?: string;
  selections: Selection[];
}

interface SpreadSelection extends Guards, Deferral {
  kind: 'spread';
  fragment: number;
}

interface Guards {
  skip?: Condition;
  include?: Condition;
}

interface Deferral {
  defer: { condition: Condition | null; labelled: boolean } | null;
}

/** A literal, or the number of one of the operation's flags. */
type Condition = boolean | number;

const flagCount = 4;
const variantCount = 3;
const fragmentCount = 2;

/** Selections and fragment bodies for every object type, and the union, by the type's name. */
type Drawn = Record<string, fc.Arbitrary<Selection[]>>;

/** Random selections of all fields of the schema except the `unpredictable` ones. */
function selectionsOf(schema: GraphQLSchema, deferring: boolean): Drawn {
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType | GraphQLUnionType =>
      (isObjectType(type) || isUnionType(type)) && !type.name.startsWith('__'),
  );
  const union = types.find(isUnionType);
  const deferral = fc.record({ defer: deferring ? deferrals : fc.constant(null) });
  return fc.letrec<Record<string, Selection[]>>((tie) => {
    const drawn = (type: GraphQLObjectType | GraphQLUnionType) =>
      isUnionType(type) ? unionSelections(type, deferral, tie) : selectionSet(type, deferral, tie, union);
    return Object.fromEntries(types.map((type) => [type.name, drawn(type)]));
  });
}

type Tie = (type: string) => fc.Arbitrary<Selection[]>;

/** Of what has no `@defer`: the root of a union, and what is not drawn with the directive. */
const undeferred = fc.constant<Deferral>({ defer: null });

/** Selections of the types in a union, and fragments on the union itself, which have no `@defer`. */
function unionSelections(union: GraphQLUnionType, deferral: fc.Arbitrary<Deferral>, tie: Tie) {
  const members = union.getTypes().map(({ name }) => ({
    weight: 4,
    arbitrary: together(inlineOn(name, tie), guards, deferral),
  }));
  const selection = fc.oneof(
    { maxDepth: 16, depthSize: 'max' },
    { weight: 1, arbitrary: field(fc.constant('__typename'), fc.constant([])) },
    ...members,
    { weight: 1, arbitrary: together(inlineOn(union.name, tie), guards, undeferred) },
    { weight: 1, arbitrary: together(spreads, guards, undeferred) },
  );
  return fc.array(selection, { minLength: 1, maxLength: 3, size: 'max' });
}

function inlineOn(on: string, tie: Tie) {
  const kind = fc.constant('inline' as const);
  return fc.record({ kind, conditioned: fc.constant(true), on: fc.constant(on), selections: tie(on) });
}

function selectionSet(
  type: GraphQLObjectType,
  deferral: fc.Arbitrary<Deferral>,
  tie: Tie,
  union: GraphQLUnionType | undefined,
): fc.Arbitrary<Selection[]> {
  const fields = Object.values(type.getFields()).filter(
    ({ name }) => !unpredictable.includes(`${type.name}.${name}`),
  );
  const objects = fields.filter((field) => isCompositeType(getNamedType(field.type)));
  const leaves = [
    '__typename',
    ...fields.filter((field) => !objects.includes(field)).map(({ name }) => name),
  ];

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
  const wide = union?.getTypes().includes(type) ? [inlineOn(union.name, tie)] : [];
  const selection = fc.oneof(
    { maxDepth: 16, depthSize: 'max' },
    { weight: Math.min(leaves.length, 4), arbitrary: leaf },
    ...composites,
    { weight: 1, arbitrary: together(inline, guards, deferral) },
    { weight: leadsToSite(type) ? 5 : 1, arbitrary: together(spreads, guards, deferral) },
    ...wide.map((on) => ({ weight: 1, arbitrary: together(on, guards, undeferred) })),
  );
  return fc.array(selection, { minLength: 1, maxLength: leadsToSite(type) ? 4 : 2, size: 'max' });
}

/** The fields that cause calls, which are selected more often. */
function leadsToSite(type: GraphQLNamedType): boolean {
  if (isUnionType(type)) return true;
  if (!isObjectType(type) || type.name === 'Site') return isObjectType(type);
  return Object.values(type.getFields()).some((field) => leadsToSite(getNamedType(field.type)));
}

const spreads = fc.record({ kind: fc.constant('spread' as const), fragment: fc.nat(fragmentCount - 1) });

function field(name: fc.Arbitrary<string>, selections: fc.Arbitrary<Selection[]>) {
  const drawn = fc.record({
    kind: fc.constant('field' as const),
    name,
    renamed: fc.constantFrom(false, false, false, true),
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

/** One of several generated objects. */
function together<A, B, C = object>(
  a: fc.Arbitrary<A>,
  b: fc.Arbitrary<B>,
  c: fc.Arbitrary<C> = fc.constant({} as C),
): fc.Arbitrary<A & B & C> {
  return fc.tuple(a, b, c).map(([x, y, z]) => ({ ...x, ...y, ...z }));
}

/** The value of an argument and its form in the operation. A list may also be written element by element. */
type Value =
  | { as: 'literal' | 'variable' | 'default'; json: unknown }
  | { as: 'elements'; elements: Value[] };

/** Lists of arguments by name, for each field that takes any: the variants of `Query.site`. */
type Variants = Record<string, Record<string, Value>[]>;

/** A few argument lists for every field: those with the same one have the same response name, and merge. */
function variantsOf(schema: GraphQLSchema): fc.Arbitrary<Variants> {
  const taking = fieldsOf(schema).filter(([, field]) => field.args.length > 0);
  const lists = taking.map(([name, field]) => [
    name,
    fc.array(argumentsOf(field), { minLength: variantCount, maxLength: variantCount }),
  ]);
  return fc.record(Object.fromEntries(lists));
}

/** The fields of all object types, each with its name: `Query.site`. */
function fieldsOf(schema: GraphQLSchema): [name: string, GraphQLField<unknown, unknown>][] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]));
}

/** The `@stream` of each list that has one, by its field: fields that merge must have the same. */
type Streams = Record<string, Stream | null>;

interface Stream {
  condition: Condition | null;
  initialCount: number | null;
}

function streamsOf(schema: GraphQLSchema): fc.Arbitrary<Streams> {
  const lists = fieldsOf(schema).filter(([, { type }]) => isListType(getNullableType(type)));
  const stream = fc.record({
    condition: fc.option(conditions, { freq: 2 }),
    initialCount: fc.option(fc.nat(3)),
  });
  return fc.record(Object.fromEntries(lists.map(([name]) => [name, fc.option(stream, { freq: 2 })])));
}

function argumentsOf(field: GraphQLField<unknown, unknown>): fc.Arbitrary<Record<string, Value>> {
  const values = Object.fromEntries(field.args.map((arg) => [arg.name, argumentValue(arg, field)]));
  const requiredKeys = field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  return fc.record(values, { requiredKeys }).filter(({ first, last }) => !(isGiven(first) && isGiven(last)));
}

/** Without `first` together with `last`, which rejects the operation and has tests of its own. */
function isGiven(value: Value | undefined): boolean {
  return value?.as === 'elements' || (value?.json ?? null) !== null;
}

function argumentValue(
  { type, name }: GraphQLArgument,
  field: GraphQLField<unknown, unknown>,
): fc.Arbitrary<Value> {
  const single = scalarOf(getNamedType(type).name, getNamedType(field.type).name, name);
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (!isListType(nullable)) {
    return written(nullable === type ? fc.option(single, { freq: 6 }) : single);
  }
  const lengths = { maxLength: 5, size: 'max' } as const;
  return fc.oneof(
    written(fc.array(single, lengths)),
    fc.record({ as: fc.constant('elements' as const), elements: fc.array(written(single), lengths) }),
  );
}

function written(json: fc.Arbitrary<unknown>): fc.Arbitrary<Value> {
  return fc.record({ as: fc.constantFrom('literal', 'variable', 'default'), json });
}

function scalarOf(type: string, resource: string, name: string): fc.Arbitrary<unknown> {
  if (type === 'ID' && resource === 'Site') return fc.constantFrom(...siteIds);
  if (type === 'ID' && resource === 'ConversationContext') return fc.constantFrom(...conversationIds);
  if (type === '_Any') return representations;
  if (type === 'Int') return fc.nat(5);
  if (type === 'Boolean') return fc.boolean();
  throw new Error(
    `Say here what to give for the argument ${name}: ${type} of a field that returns ${resource}.`,
  );
}

const representationOf = (type: string, ids: readonly unknown[]) =>
  fc.record({ __typename: fc.constant(type), id: fc.constantFrom(...ids) });
const misfits = [{ __typename: 'Site' }, { __typename: 'Client', id: 'CLIENT-1' }, 'SITE-1'];
const representations = fc.oneof(
  { weight: 12, arbitrary: representationOf('Site', siteIds) },
  { weight: 9, arbitrary: representationOf('ConversationContext', conversationIds) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...misfits) },
);

/** The list of those arguments that are there. */
function argumentsText(...texts: (string | false)[]): string {
  const given = texts.filter(Boolean);
  return given.length > 0 ? `(${given.join(', ')})` : '';
}

/** A value as GraphQL writes it. */
function literalOf(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(literalOf).join(', ')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  return `{ ${Object.entries(json).map(([name, value]) => `${name}: ${literalOf(value)}`)} }`;
}

/**
 * Prints a sketch as a valid document. Valid by construction: a response name is composed of the field and
 * its argument list, so that two fields merge or differ in name; a fragment is written when it is first
 * spread, and one that is being written is not spread again; a variable is declared when it is first used.
 */
function textOf(schema: GraphQLSchema, sketch: Sketch) {
  const declared = new Map<string, string>();
  const variables: Record<string, unknown> = {};
  const fragments = new Map<string, string>();
  let labels = 0;

  const selectionSet = (selections: Selection[], type: GraphQLCompositeType): string =>
    `{ ${selections.map((selection) => selectionText(selection, type)).join('\n')} }`;

  const selectionText = (selection: Selection, type: GraphQLCompositeType): string => {
    if (selection.kind === 'field') return fieldText(selection, type);
    const name = selection.kind === 'spread' ? spreadable(selection.fragment, type) : '';
    if (name === undefined) return '__typename';
    const directives = `${guardsText(selection)} ${deferral(selection)}`;
    if (selection.kind === 'spread') return `...${name} ${directives}`;
    const named = selection.on === undefined ? type : schema.getType(selection.on);
    const target = isCompositeType(named) ? named : type;
    const condition = selection.conditioned ? `on ${target.name}` : '';
    return `... ${condition} ${directives} ${selectionSet(selection.selections, target)}`;
  };

  const fieldText = (selection: FieldSelection, type: GraphQLCompositeType): string => {
    const { name, renamed, variant, selections } = selection;
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (!isObjectType(type) || !field) return `${renamed ? 'kind: ' : ''}${name} ${guardsText(selection)}`;
    const taken = field.args.length > 0 ? variant : 0;
    const key = `${renamed ? 'x_' : ''}${borrowedName(field, type)}${taken > 0 ? `_${taken}` : ''}`;
    const target = getNamedType(field.type);
    const body = isCompositeType(target) ? selectionSet(selections, target) : '';
    return `${key === name ? '' : `${key}: `}${name}${argumentList(field, type, taken)} ${guardsText(selection)} ${streamText(field, type)} ${body}`;
  };

  const borrowedName = ({ name }: GraphQLField<unknown, unknown>, type: GraphQLObjectType): string => {
    // The types of the union have `id` in common, and all other names differ.
    if (name === 'id') return name;
    const names = Object.keys(type.getFields()).filter((other) => other !== 'id');
    return names[(names.indexOf(name) + sketch.shift) % names.length] ?? name;
  };

  const argumentList = (field: GraphQLField<unknown, unknown>, type: GraphQLObjectType, variant: number) => {
    const given = sketch.variants[`${type.name}.${field.name}`]?.[variant] ?? {};
    const texts = field.args.map(({ name, type }: GraphQLArgument) => {
      const value = given[name];
      return value !== undefined && `${name}: ${valueText(value, type, `${field.name}_${variant}_${name}`)}`;
    });
    return argumentsText(...texts);
  };

  const valueText = (value: Value, type: GraphQLInputType, name: string): string => {
    if (value.as === 'elements') {
      const list = isNonNullType(type) ? type.ofType : type;
      const element = isListType(list) ? list.ofType : type;
      return `[${value.elements.map((item, index) => valueText(item, element, `${name}_${index}`)).join(', ')}]`;
    }
    if (value.as === 'literal') return literalOf(value.json);
    const fallback = value.as === 'default' ? ` = ${literalOf(value.json)}` : '';
    if (value.as === 'variable') variables[name] = value.json;
    declared.set(name, `$${name}: ${type}${fallback}`);
    return `$${name}`;
  };

  const condition = (drawn: Condition): string => {
    if (typeof drawn === 'boolean') return String(drawn);
    const flag = sketch.flags[drawn];
    if (flag?.given !== undefined) variables[`flag${drawn}`] = flag.given;
    const fallback = flag?.fallback === undefined ? '!' : ` = ${flag.fallback}`;
    declared.set(`flag${drawn}`, `$flag${drawn}: Boolean${fallback}`);
    return `$flag${drawn}`;
  };

  const guardsText = ({ skip, include }: Guards): string =>
    [
      skip === undefined ? '' : `@skip(if: ${condition(skip)})`,
      include === undefined ? '' : `@include(if: ${condition(include)})`,
    ].join(' ');

  const streamText = ({ name }: GraphQLField<unknown, unknown>, type: GraphQLObjectType): string => {
    const stream = sketch.streams[`${type.name}.${name}`];
    if (!stream) return '';
    const count = stream.initialCount !== null && `initialCount: ${stream.initialCount}`;
    return `@stream${argumentsText(ifText(stream.condition), count)}`;
  };

  const deferral = ({ defer }: Deferral): string =>
    defer
      ? `@defer${argumentsText(ifText(defer.condition), defer.labelled && `label: "part ${++labels}"`)}`
      : '';

  const ifText = (drawn: Condition | null) => drawn !== null && `if: ${condition(drawn)}`;

  const spreadable = (index: number, type: GraphQLCompositeType): string | undefined => {
    const name = `${type.name}${index}`;
    const text = fragments.get(name);
    if (text === undefined) {
      fragments.set(name, '');
      const body = selectionSet(sketch.fragments[type.name]?.[index] ?? [], type);
      fragments.set(name, `fragment ${name} on ${type.name} ${body}`);
    }
    return text === '' ? undefined : name;
  };

  const root = schema.getQueryType();
  const body = root ? selectionSet(sketch.selections, root) : '';
  const declarations = [...declared.values()];
  const head = declarations.length > 0 ? `query (${declarations.join(', ')}) ` : '';
  return { text: print(parse([head + body, ...fragments.values()].join('\n'))), variables };
}
