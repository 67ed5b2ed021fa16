import { GraphQLNonNull, GraphQLObjectType, type GraphQLSchema, isIntrospectionType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { sharedPage } from './guide.ts';

/** The object types of a schema, apart from its root types, by whether their `id` is always there. */
function objectTypes(of: GraphQLSchema): { identified: string[]; embedded: string[] } {
  const roots = [of.getQueryType(), of.getMutationType(), of.getSubscriptionType()];
  const objects = Object.values(of.getTypeMap())
    .filter((type) => type instanceof GraphQLObjectType)
    .filter((type) => !isIntrospectionType(type) && !roots.includes(type));
  const isIdentified = (type: GraphQLObjectType) => type.getFields().id?.type instanceof GraphQLNonNull;
  const names = (types: GraphQLObjectType[]) => types.map(({ name }) => name).sort();
  return {
    identified: names(objects.filter(isIdentified)),
    embedded: names(objects.filter((type) => !isIdentified(type))),
  };
}

it('lists in docs/frontend.md what a cache stores by id and what not; npm run codegen writes it', async () => {
  const { identified, embedded } = objectTypes(schema);
  const lists = {
    identified: `['${identified.join("', '")}']`,
    embedded: `[\n  '${embedded.join("',\n  '")}',\n]`,
  };
  const expected = Object.entries(lists).reduce(
    (text, [name, list]) =>
      text.replace(new RegExp(`(?<=^export const ${name} = )\\[[^\\]]*\\](?=;$)`, 'm'), list),
    sharedPage,
  );
  expect(expected).toContain(lists.embedded);
  await expect(expected).toMatchFileSnapshot('../../docs/frontend.md');
});
