import {
  type FieldNode,
  GraphQLID,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  Kind,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import { includesOf } from '../../src/schema/selections.ts';

const site = new GraphQLObjectType({
  name: 'Site',
  fields: {
    id: { type: GraphQLID },
    clients: { type: GraphQLID, extensions: { include: 'clients' } },
    projects: { type: GraphQLID, extensions: { include: 'projects' } },
  },
});

const schema = new GraphQLSchema({ types: [site] });

/** The `info` of a resolver of `site` with these fields, and any number of fragments of the document. */
function infoOf(text: string, variableValues: Record<string, unknown> = {}) {
  const { definitions } = parse(text);
  const fieldNodes = definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? (one.selectionSet.selections as FieldNode[]) : [],
  );
  const fragments = Object.fromEntries(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  return { schema, fieldNodes, fragments, variableValues, returnType: new GraphQLNonNull(site) };
}

const people = 'fragment People on Site { clients }';

it.each<[string, string[], Record<string, unknown>?]>([
  ['{ site { id } }', []],
  ['{ site { __typename clients } }', ['clients']],
  ['{ site { id: projects clients: id } }', ['projects']],
  ['{ site { clients } site { projects } }', ['clients', 'projects']],
  ['{ site { ... { projects } ... on Site { clients } } }', ['projects', 'clients']],
  ['{ site { ... on Client { clients } projects } }', ['projects']],
  [`{ site { ...People } } ${people}`, ['clients']],
  ['{ site { ...Unknown projects } }', ['projects']],
  ['{ site { clients @skip(if: true) projects @skip(if: false) } }', ['projects']],
  ['{ site { clients @include(if: true) projects @include(if: false) } }', ['clients']],
  ['{ site { clients @skip(if: $a) projects @include(if: $a) } }', ['projects'], { a: true }],
  ['{ site { clients @skip(if: $a) projects @include(if: $a) } }', ['clients'], { a: false }],
  ['{ site { clients @skip(if: true) @include(if: true) } }', []],
  [`{ site { ...People @skip(if: true) ... @include(if: false) { projects } } } ${people}`, []],
  ['{ site { ... @defer { clients } projects } }', ['projects']],
  ['{ site { ... @defer(if: false) { clients } } }', ['clients']],
  ['{ site { ... @defer(if: $a) { clients } } }', ['clients'], { a: false }],
  [`{ site { ...People @defer ...People } } ${people}`, ['clients']],
  [`{ site { ...People ...People @defer } } ${people}`, ['clients']],
])('requests for %s: %j', (text, includes, variables) => {
  expect(includesOf(infoOf(text, variables))).toEqual(includes);
});

it('requests no relation for a field without selections', () => {
  const info = { ...infoOf('{ site }'), returnType: GraphQLID };
  expect(includesOf(info)).toEqual([]);
  expect(includesOf({ ...info, variableValues: {} })).toBe(includesOf(info));
});

it('derives the relations once for the document, or for an execution where variables decide', () => {
  const constant = infoOf('{ site { clients ... { projects } } }');
  expect(includesOf({ ...constant, variableValues: {} })).toBe(includesOf(constant));
  const variable = infoOf('{ site { clients @skip(if: $a) } }', { a: false });
  expect(includesOf(variable)).toEqual(['clients']);
  expect(includesOf({ ...variable })).toBe(includesOf(variable));
  expect(includesOf({ ...variable, variableValues: { a: true } })).toEqual([]);
});
