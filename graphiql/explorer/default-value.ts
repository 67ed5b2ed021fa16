import { type ConstValueNode, type GraphQLArgument, type GraphQLField, isEnumType, Kind } from 'graphql';
import type { PageOptions } from '../../src/features/graphiql/page.ts';

/** Entries that a list is asked for when its count is ticked. */
const COUNT = '10';

/** The value that an argument has when it is ticked: an id is that of the example. */
export function defaultValueOf({ siteId, conversationId }: PageOptions['example']) {
  return (
    field: Pick<GraphQLField<unknown, unknown>, 'name'>,
    _argument: GraphQLArgument,
    type: { name: string },
  ): ConstValueNode => {
    if (isEnumType(type)) return { kind: Kind.ENUM, value: type.getValues()[0]?.name ?? '' };
    if (type.name === 'Boolean') return { kind: Kind.BOOLEAN, value: false };
    if (type.name === 'Int') return { kind: Kind.INT, value: COUNT };
    if (type.name !== 'ID') return { kind: Kind.STRING, value: '' };
    return { kind: Kind.STRING, value: field.name.startsWith('conversation') ? conversationId : siteId };
  };
}
