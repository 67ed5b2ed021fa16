import { builder } from '../builder.ts';
import { invalidValue } from '../errors.ts';

/** A text goes out as it came: a partner sees what the REST API wrote. */
interface Format {
  accepts(value: unknown): boolean;
  /** For a field with another value. */
  error: Error;
}

declare module 'graphql' {
  interface GraphQLScalarTypeExtensions {
    /** The rule for a value, which fields of this type check, because they know its operation. */
    format?: Format;
    /** Any value but null is coerced to itself. */
    passesThrough?: true;
  }
}

const day =
  /\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))/
    .source;
const time = /(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)/
  .source;

builder.scalarType('DateTime', {
  description:
    'A point in time as the REST API wrote it, a string in the form of RFC 3339: 2026-03-02T14:05:00Z.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: { format: format(new RegExp(`^${day}[Tt ]${time}$`), 'a date and time of RFC 3339') },
});

builder.scalarType('Date', {
  description: 'A calendar day as the REST API wrote it, a string in the form YYYY-MM-DD: 2026-03-02.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: { format: format(new RegExp(`^${day}$`), 'a day in the form YYYY-MM-DD') },
});

builder.scalarType('JSON', {
  description:
    'Any JSON value that the REST API sent, of at most 100 levels (else null), written again. Kept: texts, booleans, nulls, lists, objects, and numbers as doubles (IEEE 754). Not kept: the digits of a number that are not those of the nearest double (9007199254740993 becomes 9007199254740992), numbers above 1.8e308 (null), all but the last of equal names in an object, the place of names that are whole numbers, blanks.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
});

function format(pattern: RegExp, expected: string): Format {
  const accepts = (value: unknown) => typeof value === 'string' && pattern.test(value);
  return { accepts, error: invalidValue(expected) };
}
