import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isObjectType,
  specifiedDirectives,
} from 'graphql';
import type { ConversationContext, Site } from '../../rest/resources.ts';
import type { Context } from '../../schema/builder.ts';
import { sdlOf } from '../../schema/index.ts';
import { type Input, InputError } from '../../schema/input.ts';
import {
  type NamedResource,
  resourceOf,
  resourcesIn,
  settleEach,
  typeNames,
} from '../../schema/resources.ts';
import { boundField } from '../../schema/response-budget.ts';
import { includesOf } from '../../schema/selections.ts';
import { checkSlices } from '../../schema/types/conversation.ts';

/*
 * The gateway as a subgraph of Apollo Federation 2: the fields by which a router reads its schema, and reads
 * sites and conversations by the keys that other subgraphs name. By hand, because the Pothos plugin needs a
 * package under the Elastic License (docs/decisions/24-a-subgraph-by-hand.md).
 */

type Entity = Site | ConversationContext;

/** The kinds of resources that other subgraphs can name, by the names of their types. */
const kinds = new Map<string, NamedResource['kind']>([
  [typeNames.site, 'site'],
  [typeNames.conversation, 'conversation'],
]);

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])';
const KEY = '@key(fields: "id")';
const keyed = new RegExp(`^type (${[...kinds.keys()].join('|')})\\b`, 'gm');

/** Any value but null: each representation is checked by itself, so that a wrong one fails alone. */
const anyScalar = new GraphQLScalarType({
  name: '_Any',
  description: 'A representation of an entity: its `__typename`, and its `id`.',
  extensions: { passesThrough: true },
});

/** `hasService`: whether it has `_service`, by which a router reads the schema without these fields. */
export function withEntities(schema: GraphQLSchema, { hasService }: { hasService: boolean }): GraphQLSchema {
  const { query, types, ...config } = schema.toConfig();
  if (!query) return schema;
  const { fields, ...rest } = query.toConfig();
  const served = hasService ? { _service: serviceField(schema) } : {};
  const extended: GraphQLObjectType = new GraphQLObjectType<unknown, Context>({
    ...rest,
    fields: { ...fields, _entities: entitiesField(schema), ...served },
  });
  const { _entities } = extended.getFields();
  if (_entities) boundField(_entities);
  return new GraphQLSchema({ ...config, query: extended, types: types.filter((type) => type !== query) });
}

interface Representations {
  representations: readonly unknown[];
}

function entitiesField(schema: GraphQLSchema): GraphQLFieldConfig<unknown, Context, Representations> {
  const entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'What other subgraphs can refer to.',
    types: [...kinds.keys()].map((name) => schema.getType(name)).filter(isObjectType),
    resolveType: (entity: Entity) => ('address1' in entity ? typeNames.site : typeNames.conversation),
  });
  return {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    description:
      'The entities of these representations, in their order and number. A failed one is null, with its own error; a duplicate is loaded once.',
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(anyScalar))),
        description: 'At most 50.',
      },
    },
    extensions: {
      resources: ({ representations = [] }: Partial<Representations>, input) =>
        resourcesIn(representations, (one) => resourceNamedBy(one, input), input),
      unpolled: true,
    },
    resolve: (_, { representations }, { input, loaders }, info) => {
      const include = includesOf(info);
      return settleEach<unknown, Entity | null>(input.idList(representations), (one) => {
        const resource = resourceNamedBy(one, input);
        if (resource.kind === 'site') return loaders.site(resource.id, include, info);
        checkSlices(info);
        return loaders.conversationContext(resource.id, info);
      });
    },
  };
}

/** @throws InputError if the representation names no resource */
function resourceNamedBy(representation: unknown, input: Input): NamedResource {
  const { __typename: typeName, id }: { __typename?: unknown; id?: unknown } = Object(representation);
  const kind = typeof typeName === 'string' ? kinds.get(typeName) : undefined;
  if (!kind)
    throw new InputError(`The __typename of a representation must be ${[...kinds.keys()].join(' or ')}.`);
  if (typeof id !== 'string') throw new InputError('A representation must have an id, a string.');
  return resourceOf(kind, id, input);
}

function serviceField(schema: GraphQLSchema): GraphQLFieldConfig<unknown, Context> {
  const service = new GraphQLObjectType({
    name: '_Service',
    description: 'The schema for a router.',
    fields: { sdl: { type: new GraphQLNonNull(GraphQLString), description: 'The schema in SDL.' } },
  });
  let sdl: string | undefined;
  return {
    type: new GraphQLNonNull(service),
    description: 'The schema that a supergraph is composed of.',
    resolve() {
      sdl ??= subgraphSdl(schema);
      return { sdl };
    },
  };
}

/** The SDL of a subgraph: the schema with its keys, without the directives that a router executes itself. */
export function subgraphSdl(schema: GraphQLSchema): string {
  const bare = new GraphQLSchema({ ...schema.toConfig(), directives: specifiedDirectives });
  const text = sdlOf(bare);
  return `${LINK}\n\n${text.replace(keyed, `$& ${KEY}`)}`;
}
