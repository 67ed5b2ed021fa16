import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { createOpenapi } from '../../../reference/openapi/openapi.ts';
import { contract } from '../../support/contract.ts';
import { addedFields } from '../../support/samples.ts';

const document = createOpenapi({ siteIdPrefix: 'SITE', isDeprecated: false });

const served = JSON.parse(JSON.stringify(document)) as typeof document;

it('describes the fields that the gateway has, apart from its own', () => {
  const types = Object.values(contract.getTypeMap()).filter(isObjectType);
  const described = types.filter(({ name }) => name !== 'Health' && name in served.components.schemas);
  expect(described).toHaveLength(13);
  for (const type of described) {
    const fields = Object.keys(type.getFields()).filter(
      (field) => !addedFields.includes(`${type.name}.${field}`),
    );
    const properties = Object.keys(served.components.schemas[type.name]?.properties ?? {});
    expect(properties.sort(), type.name).toEqual(fields.sort());
  }
});

it('describes ids with the configured prefix', () => {
  const { components } = createOpenapi({ siteIdPrefix: 'PROP', isDeprecated: false });
  expect(components.schemas.SiteId?.pattern).toBe('^PROP-.*$');
});
