import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  print,
} from 'graphql';
import type { Value } from './arguments.ts';
import type { Sketch } from './operation.ts';
import type { Condition, Deferral, FieldSelection, Guards, Selection } from './selection.ts';

/**
 * Prints a sketch as a valid document. Valid by construction: a response name is composed of the field and its
 * argument list, so that two fields merge or differ in name; a fragment is written when it is first spread, and one
 * that is being written is not spread again; a variable is declared when it is first used.
 */
export function textOf(schema: GraphQLSchema, sketch: Sketch) {
  const declared = new Map<string, string>();
  const variables: Record<string, unknown> = {};
  const fragments = new Map<string, string>();
  let labels = 0;

  const selectionSet = (selections: Selection[], type: GraphQLObjectType): string =>
    `{ ${selections.map((selection) => selectionText(selection, type)).join('\n')} }`;

  const selectionText = (selection: Selection, type: GraphQLObjectType): string => {
    if (selection.kind === 'field') return fieldText(selection, type);
    const name = selection.kind === 'spread' ? spreadable(selection.fragment, type) : '';
    if (name === undefined) return '__typename';
    const directives = `${guards(selection)} ${deferral(selection)}`;
    if (selection.kind === 'spread') return `...${name} ${directives}`;
    const condition = selection.conditioned ? `on ${type.name}` : '';
    return `... ${condition} ${directives} ${selectionSet(selection.selections, type)}`;
  };

  const fieldText = (selection: FieldSelection, type: GraphQLObjectType): string => {
    const { name, renamed, variant, selections } = selection;
    const field = type.getFields()[name];
    if (!field) return `${renamed ? 'kind: ' : ''}${name} ${guards(selection)}`;
    const taken = field.args.length > 0 ? variant : 0;
    const key = `${renamed ? 'x_' : ''}${borrowedName(field, type)}${taken > 0 ? `_${taken}` : ''}`;
    const target = getNamedType(field.type);
    const body = isObjectType(target) ? selectionSet(selections, target) : '';
    return `${key === name ? '' : `${key}: `}${name}${argumentList(field, type, taken)} ${guards(selection)} ${body}`;
  };

  const borrowedName = ({ name }: GraphQLField<unknown, unknown>, type: GraphQLObjectType): string => {
    const names = Object.keys(type.getFields());
    return names[(names.indexOf(name) + sketch.shift) % names.length] ?? name;
  };

  const argumentList = (field: GraphQLField<unknown, unknown>, type: GraphQLObjectType, variant: number) => {
    const given = sketch.variants[`${type.name}.${field.name}`]?.[variant] ?? {};
    const texts = field.args.flatMap((arg: GraphQLArgument) => {
      const value = given[arg.name];
      return value
        ? [`${arg.name}: ${valueText(value, arg.type, `${field.name}_${variant}_${arg.name}`)}`]
        : [];
    });
    return texts.length > 0 ? `(${texts.join(', ')})` : '';
  };

  const valueText = (value: Value, type: GraphQLInputType, name: string): string => {
    if (value.as === 'elements') {
      const list = isNonNullType(type) ? type.ofType : type;
      const element = isListType(list) ? list.ofType : type;
      return `[${value.elements.map((item, index) => valueText(item, element, `${name}_${index}`)).join(', ')}]`;
    }
    if (value.as === 'literal') return JSON.stringify(value.json);
    const fallback = value.as === 'default' ? ` = ${JSON.stringify(value.json)}` : '';
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

  const guards = ({ skip, include }: Guards): string =>
    [
      skip === undefined ? '' : `@skip(if: ${condition(skip)})`,
      include === undefined ? '' : `@include(if: ${condition(include)})`,
    ].join(' ');

  const deferral = ({ defer }: Deferral): string => {
    if (!defer) return '';
    const options = [
      ...(defer.condition === null ? [] : [`if: ${condition(defer.condition)}`]),
      ...(defer.labelled ? [`label: "part ${++labels}"`] : []),
    ];
    return `@defer${options.length > 0 ? `(${options.join(', ')})` : ''}`;
  };

  const spreadable = (index: number, type: GraphQLObjectType): string | undefined => {
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
