import { expect } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { siteTarget } from '../support/server.ts';
import { expectStatus, type Rules, read, withDemo, withSite } from './rule.ts';

const sites = demoSites();
const relations = ['clients', 'projects'] as const;
const present = (body: object) => relations.filter((name) => name in body);

export const siteRules: Rules = {
  'SITE-INCLUDE-04 SHOULD blanks, empty parts and repetitions in include are ignored': withSite(
    async (api) => {
      for (const list of ['%20clients%20', ',clients,', 'clients,clients', '+clients']) {
        expect(present(await read(api, siteTarget(api.siteId, `?include=${list}`)))).toEqual(['clients']);
      }
    },
  ),
  'SITE-INCLUDE-05 SHOULD unknown names in include are ignored, and names are case-sensitive': withSite(
    async (api) => {
      const body = await read(api, siteTarget(api.siteId, '?include=owners,Clients,projects'));
      expect(present(body)).toEqual(['projects']);
    },
  ),
  'SITE-INCLUDE-06 SHOULD several include parameters are combined': withSite(async (api) => {
    const body = await read(api, siteTarget(api.siteId, '?include=clients&include=projects'));
    expect(present(body)).toEqual(relations);
  }),
  'SITE-INCLUDE-07 SHOULD include adds the relations and changes nothing else': withSite(async (api) => {
    const full = await read(api, siteTarget(api.siteId, '?include=clients,projects'));
    const { clients: _, projects: __, ...rest } = full;
    expect(rest).toEqual(await read(api, siteTarget(api.siteId)));
  }),
  'SITE-INCLUDE-08 SHOULD an included relation without members is an empty array': withDemo(async (api) => {
    const { clients } = await read(api, siteTarget(sites.withoutClients, '?include=clients'));
    expect(clients).toEqual([]);
  }),
  'SITE-ID-01 MUST any text may follow the hyphen of an id': withDemo(async (api) => {
    for (const id of [sites.withSpace, sites.withSlash, sites.withPercent, sites.withUmlaut]) {
      expect((await read(api, siteTarget(id))).id).toBe(id);
    }
  }),
  'SITE-ID-05 SHOULD SQL in an id is text: an unknown site': async (api) => {
    for (const tail of ["' or 1=1 --", '%', '_001', '"; drop table sites; --', '*', "\\' union select"]) {
      await expectStatus(api, siteTarget(`${api.siteIdPrefix}-${tail}`), 404);
    }
  },
};
