import { isEnumType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { serviceLevelFromLabel } from '../../src/upstream/decoding/service-level.ts';

const levels: [string, string][] = [
  ['Inactive', 'INACTIVE'],
  ['Non-Member', 'NON_MEMBER'],
  ['Warranty Essentials', 'WARRANTY_ESSENTIALS'],
  ['CPP Essentials Plus', 'CPP_ESSENTIALS_PLUS'],
  ['Essentials Plus', 'ESSENTIALS_PLUS'],
  ['CPP Priority', 'CPP_PRIORITY'],
  ['Priority', 'PRIORITY'],
  ['CPP Proactive', 'CPP_PROACTIVE'],
  ['Proactive', 'PROACTIVE'],
  ['CPP Signature', 'CPP_SIGNATURE'],
  ['Signature', 'SIGNATURE'],
  ['Secure', 'SECURE'],
  ['Company - Internal', 'INTERNAL'],
  ['Legacy', 'LEGACY'],
];

it.each(levels)('reads %j as %s', (label, level) => {
  expect(serviceLevelFromLabel(label)).toBe(level);
});

it('has one value of the schema for each of the 14 levels, and one for all others', () => {
  const type = schema.getType('ServiceLevel');
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  expect(values.sort()).toEqual([...levels.map(([, level]) => level), 'UNRECOGNIZED'].sort());
});

it.each(['Acme - Internal', 'A - Internal', 'Acme & Söhne - Internal', 'Acme - West - Internal'])(
  'reads %j as INTERNAL, whatever the name of the provider',
  (label) => expect(serviceLevelFromLabel(label)).toBe('INTERNAL'),
);

it.each([
  '',
  ' - Internal',
  '- Internal',
  'Internal',
  'Acme - internal',
  'Acme - Internal ',
  'signature',
  'Signature ',
  'Platinum',
  '__proto__',
  'constructor',
])('reads %j as UNRECOGNIZED', (label) => expect(serviceLevelFromLabel(label)).toBe('UNRECOGNIZED'));
