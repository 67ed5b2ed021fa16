import fc from 'fast-check';
import { isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { expect, it } from 'vitest';
import { subgraphContract as contract } from '../../support/contract.ts';
import { operationsOf, unpredictable } from './operation.ts';

/** A fixed seed, so that the coverage does not depend on chance. */
const operations = fc.sample(operationsOf(contract, ['defer', 'stream']), { numRuns: 250, seed: 1 });

it('generates every field of the schema', () => {
  const all = Object.values(contract.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`));
  const drawn = new Set(operations.flatMap(({ text }) => fieldsIn(text)));
  expect(all.filter((field) => !drawn.has(field))).toEqual(unpredictable);
});

function fieldsIn(text: string): string[] {
  const types = new TypeInfo(contract);
  const fields: string[] = [];
  visit(
    parse(text),
    visitWithTypeInfo(types, {
      Field: ({ name }) => void fields.push(`${types.getParentType()}.${name.value}`),
    }),
  );
  return fields;
}

it.for([
  ['aliases', /^ +\w+: \w+/m],
  ['a field under the name of another', /^ +clients: (?!clients)\w+/m],
  ['named fragments', /\.\.\.Site\d/],
  ['a fragment that is spread twice', /(\.\.\.Site\d)\b.*\1\b/s],
  ['inline fragments with a type condition', /\.\.\. on Site/],
  ['inline fragments without one', /\.\.\. [{@]/],
  ['@skip with literals', /@skip\(if: true\)/],
  ['@include with variables', /@include\(if: \$flag/],
  ['variables with defaults', /\$flag\d: Boolean = /],
  ['variables for ids', /\$site_\d_id: ID!/],
  ['lists of literals and variables', /ids: \["[^\]]*\$\w+/],
  ['arguments of fields', /messages\w*\(/],
  ['representations in the document and in variables', /_entities(_\d)?\(representations: (\[\$|\[\{|\$)/],
  ['sites of the union', /_entities.*\.\.\. on Site.*\{\n.*clients/s],
  ['fragments on the union within its types', /fragment (Site|ConversationContext)\d [^}]*\.\.\. on _Entity/],
  ['@defer alone', /@defer [{\n]/],
  ['@defer with conditions', /@defer\(if: \$flag/],
  ['@defer with labels', /label: "/],
] as const)('draws %s', ([, pattern]) => {
  expect(operations.some(({ text }) => pattern.test(text))).toBe(true);
});
