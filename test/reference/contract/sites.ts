import { expect } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { siteTarget } from '../support/server.ts';
import { type Rules, read, withDemo } from './rule.ts';

const sites = demoSites();

export const siteRules: Rules = {
  'SITE-INCLUDE-08 SHOULD an included relation without members is an empty array': withDemo(async (api) => {
    const { clients } = await read(api, siteTarget(sites.withoutClients, '?include=clients'));
    expect(clients).toEqual([]);
  }),
  'SITE-ID-01 MUST any text may follow the hyphen of an id': withDemo(async (api) => {
    for (const id of [sites.withSpace, sites.withSlash, sites.withPercent, sites.withUmlaut]) {
      expect((await read(api, siteTarget(id))).id).toBe(id);
    }
  }),
};
