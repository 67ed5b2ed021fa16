import { expect } from 'vitest';
import { client, project, serviceLevel, site } from '../../../reference/contract.ts';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { siteTarget } from '../support/server.ts';
import { expectStatus, type Rules, read, withDemo, withSite } from './rule.ts';

const sites = demoSites();
const relations = ['clients', 'projects'] as const;
const present = (body: object) => relations.filter((name) => name in body);

export const siteRules: Rules = {
  'SITE-GET-01 MUST GET /v1/site/{id} responds with 200 and a Site (2.1, 4.2)': withSite(async (api) => {
    const { body, headers } = await expectStatus(api, siteTarget(api.siteId), 200);
    expect(headers['content-type']).toMatch(/^application\/json\b/);
    site.omit({ id: true, serviceLevel: true }).loose().parse(JSON.parse(body));
  }),
  'SITE-GET-02 MUST the Site has the requested id, with the prefix of site ids': withSite(async (api) => {
    const { id } = await read(api, siteTarget(api.siteId));
    expect(id).toBe(api.siteId);
    expect(id).toMatch(new RegExp(`^${api.siteIdPrefix}-.*$`));
  }),
  'SITE-GET-03 MUST serviceLevel, if present, is one of the allowed values (2.1.1)': withSite(async (api) => {
    const { serviceLevel: sent } = await read(api, siteTarget(api.siteId));
    serviceLevel.optional().parse(sent);
  }),
  'SITE-GET-04 SHOULD relations are absent unless included': withSite(async (api) => {
    for (const query of ['', '?', '?include=', '?include=,,', '?include=owners', '?x=clients']) {
      expect(present(await read(api, siteTarget(api.siteId, query)))).toEqual([]);
    }
  }),
  'SITE-INCLUDE-01 MUST include=clients expands the clients (2.3)': withSite(async (api) => {
    const { clients } = await read(api, siteTarget(api.siteId, '?include=clients'));
    client.array().parse(clients);
  }),
  'SITE-INCLUDE-02 MUST include=projects expands the projects (2.4)': withSite(async (api) => {
    const { projects } = await read(api, siteTarget(api.siteId, '?include=projects'));
    project.array().parse(projects);
  }),
  'SITE-INCLUDE-03 MUST include takes a list with commas, in any order': withSite(async (api) => {
    for (const list of ['clients,projects', 'projects,clients', 'clients%2Cprojects']) {
      expect(present(await read(api, siteTarget(api.siteId, `?include=${list}`)))).toEqual(relations);
    }
  }),
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
  'SITE-ID-02 MUST an id without the prefix is not accepted': async (api) => {
    for (const id of ['1001', `X${api.siteIdPrefix}-1`, api.siteIdPrefix, `${api.siteIdPrefix}1`]) {
      const { status } = await api.send(siteTarget(id));
      expect([400, 404, 422], id).toContain(status);
    }
  },
  'SITE-ID-03 SHOULD an id without the prefix, over 200 characters, with control characters or badly encoded is a 400':
    async (api) => {
      const prefix = api.siteIdPrefix;
      const ids = ['1001', prefix, `${prefix}-${'x'.repeat(10_240)}`, `${prefix}-\u0000`, `${prefix}-a\nb`];
      for (const id of ids) await expectStatus(api, siteTarget(id), 400);
      for (const tail of ['%', '%zz', '%C3', '%FF']) {
        await expectStatus(api, `/v1/site/${prefix}-${tail}`, 400);
      }
    },
  'SITE-ID-04 SHOULD an unknown site is a 404': async (api) => {
    await expectStatus(api, siteTarget(`${api.siteIdPrefix}-no such site`), 404);
  },
  'SITE-ID-05 SHOULD SQL in an id is text: an unknown site': async (api) => {
    for (const tail of ["' or 1=1 --", '%', '_001', '"; drop table sites; --', '*', "\\' union select"]) {
      await expectStatus(api, siteTarget(`${api.siteIdPrefix}-${tail}`), 404);
    }
  },
};
