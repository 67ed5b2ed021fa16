import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
  specifiedDirectives,
} from 'graphql';

const whether = {
  type: new GraphQLNonNull(GraphQLBoolean),
  defaultValue: true,
  description: 'Off when false.',
};
const label = { type: GraphQLString, description: 'Names this part in the response.' };

export const deferDirective = new GraphQLDirective({
  name: 'defer',
  description:
    'Sends this fragment later, in a part of its own, and the rest of the response without waiting for it. A relation under it costs a REST call of its own. If it has a field with selections in common with another deferred fragment, or with what is outside of it, the response may be complete instead.',
  locations: [DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT],
  args: { if: whether, label },
});

export const streamDirective = new GraphQLDirective({
  name: 'stream',
  description:
    'Sends the elements of this list later, each in a part of its own, as they become known. The response may be complete instead if a fragment is deferred too that has a field with selections in common with another or with what is outside of it.',
  locations: [DirectiveLocation.FIELD],
  args: {
    if: whether,
    label,
    initialCount: {
      type: new GraphQLNonNull(GraphQLInt),
      defaultValue: 0,
      description: 'How many elements the first part holds.',
    },
  },
});

export const directives = [...specifiedDirectives, deferDirective, streamDirective];
