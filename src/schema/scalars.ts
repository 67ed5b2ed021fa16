import type { GraphQLScalarType } from 'graphql';
import { DateResolver, DateTimeResolver } from 'graphql-scalars';
import { invalidValue } from '../errors.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'A point in time as the REST API wrote it, in the form of RFC 3339: 2026-03-02T14:05:00Z.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: unchanged(DateTimeResolver, 'a date and time of RFC 3339'),
  parseValue: outputOnly,
});

builder.scalarType('Date', {
  description: 'A calendar day as the REST API wrote it, in the form YYYY-MM-DD: 2026-03-02.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: unchanged(DateResolver, 'a day in the form YYYY-MM-DD'),
  parseValue: outputOnly,
});

builder.scalarType('JSON', {
  description: 'Any JSON value, passed on as the REST API sent it.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue: outputOnly,
});

/** Lets `scalar` judge the text and then sends the text itself: a partner sees what the REST API wrote. */
function unchanged(scalar: GraphQLScalarType, expected: string) {
  return (text: unknown) => {
    try {
      scalar.serialize(text);
    } catch {
      throw invalidValue(expected);
    }
    return text;
  };
}

function outputOnly(): never {
  throw new Error('No argument has this type.');
}
