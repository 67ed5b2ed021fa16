import { expect } from 'vitest';
import { demoSites } from '../../../src/reference/data/demo-ids.ts';
import { client, project, serviceLevels, site } from '../support/schemas.ts';
import { siteTarget } from '../support/server.ts';
import { expectStatus, type Rule, read } from './rule.ts';

const sites = demoSites();
const relations = ['clients', 'projects'] as const;
const present = (body: object) => relations.filter((name) => name in body);

export const siteRules: Rule[] = [
  {
    id: 'SITE-GET-01',
    level: 'MUST',
    title: 'GET /v1/site/{id} responds with 200 and a Site (2.1, 4.2)',
    needs: 'site',
    async run(api) {
      const { body, headers } = await expectStatus(api, siteTarget(api.siteId), 200);
      expect(headers['content-type']).toMatch(/^application\/json\b/);
      site.omit({ id: true, serviceLevel: true }).loose().parse(JSON.parse(body));
    },
  },
  {
    id: 'SITE-GET-02',
    level: 'MUST',
    title: 'the Site has the requested id, with the prefix of site ids',
    needs: 'site',
    async run(api) {
      const { id } = await read(api, siteTarget(api.siteId));
      expect(id).toBe(api.siteId);
      expect(id).toMatch(new RegExp(`^${api.siteIdPrefix}-.*$`));
    },
  },
  {
    id: 'SITE-GET-03',
    level: 'MUST',
    title: 'serviceLevel, if present, is one of the allowed values (2.1.1)',
    needs: 'site',
    async run(api) {
      const { serviceLevel = 'Legacy' } = await read(api, siteTarget(api.siteId));
      if (!/^.+ - Internal$/.test(serviceLevel)) expect(serviceLevels).toContain(serviceLevel);
    },
  },
  {
    id: 'SITE-GET-04',
    level: 'SHOULD',
    title: 'relations are absent unless included',
    needs: 'site',
    async run(api) {
      for (const query of [
        '',
        '?',
        '?include=',
        '?include=,,',
        '?include=owners',
        '?include=Clients',
        '?x=clients',
      ]) {
        expect(present(await read(api, siteTarget(api.siteId, query)))).toEqual([]);
      }
    },
  },
  {
    id: 'SITE-INCLUDE-01',
    level: 'MUST',
    title: 'include=clients expands the clients (2.3)',
    needs: 'site',
    async run(api) {
      const { clients } = await read(api, siteTarget(api.siteId, '?include=clients'));
      client.array().parse(clients);
    },
  },
  {
    id: 'SITE-INCLUDE-02',
    level: 'MUST',
    title: 'include=projects expands the projects (2.4)',
    needs: 'site',
    async run(api) {
      const { projects } = await read(api, siteTarget(api.siteId, '?include=projects'));
      project.array().parse(projects);
    },
  },
  {
    id: 'SITE-INCLUDE-03',
    level: 'MUST',
    title: 'include takes a list with commas, in any order',
    needs: 'site',
    async run(api) {
      for (const list of ['clients,projects', 'projects,clients', 'clients%2Cprojects']) {
        expect(present(await read(api, siteTarget(api.siteId, `?include=${list}`)))).toEqual(relations);
      }
    },
  },
  {
    id: 'SITE-INCLUDE-04',
    level: 'SHOULD',
    title: 'blanks, empty parts and repetitions in include are ignored',
    needs: 'site',
    async run(api) {
      for (const list of ['%20clients%20', ',clients,', 'clients,clients', '+clients']) {
        expect(present(await read(api, siteTarget(api.siteId, `?include=${list}`)))).toEqual(['clients']);
      }
    },
  },
  {
    id: 'SITE-INCLUDE-05',
    level: 'SHOULD',
    title: 'unknown names in include are ignored, and names are case-sensitive',
    needs: 'site',
    async run(api) {
      const body = await read(api, siteTarget(api.siteId, '?include=owners,Clients,projects'));
      expect(present(body)).toEqual(['projects']);
    },
  },
  {
    id: 'SITE-INCLUDE-06',
    level: 'SHOULD',
    title: 'several include parameters are combined',
    needs: 'site',
    async run(api) {
      const body = await read(api, siteTarget(api.siteId, '?include=clients&include=projects'));
      expect(present(body)).toEqual(relations);
    },
  },
  {
    id: 'SITE-INCLUDE-07',
    level: 'SHOULD',
    title: 'include adds the relations and changes nothing else',
    needs: 'site',
    async run(api) {
      const full = await read(api, siteTarget(api.siteId, '?include=clients,projects'));
      const { clients: _, projects: __, ...rest } = full;
      expect(rest).toEqual(await read(api, siteTarget(api.siteId)));
    },
  },
  {
    id: 'SITE-INCLUDE-08',
    level: 'SHOULD',
    title: 'an included relation without members is an empty array',
    needs: 'demo',
    async run(api) {
      const { clients } = await read(api, siteTarget(sites.withoutClients, '?include=clients'));
      expect(clients).toEqual([]);
    },
  },
  {
    id: 'SITE-ID-01',
    level: 'MUST',
    title: 'any text may follow the hyphen of an id',
    needs: 'demo',
    async run(api) {
      for (const id of [sites.withSpace, sites.withSlash, sites.withPercent, sites.withUmlaut]) {
        expect((await read(api, siteTarget(id))).id).toBe(id);
      }
    },
  },
  {
    id: 'SITE-ID-02',
    level: 'MUST',
    title: 'an id without the prefix is not accepted',
    async run(api) {
      for (const id of ['1001', `X${api.siteIdPrefix}-1`, api.siteIdPrefix, `${api.siteIdPrefix}1`]) {
        const { status } = await api.send(siteTarget(id));
        expect([400, 404, 422], id).toContain(status);
      }
    },
  },
  {
    id: 'SITE-ID-03',
    level: 'SHOULD',
    title: 'an id without the prefix, over 200 characters, with control characters or badly encoded is a 400',
    async run(api) {
      const prefix = api.siteIdPrefix;
      const ids = ['1001', prefix, `${prefix}-${'x'.repeat(10_240)}`, `${prefix}-\u0000`, `${prefix}-a\nb`];
      for (const id of ids) await expectStatus(api, siteTarget(id), 400);
      for (const tail of ['%', '%zz', '%C3', '%FF']) {
        await expectStatus(api, `/v1/site/${prefix}-${tail}`, 400);
      }
    },
  },
  {
    id: 'SITE-ID-04',
    level: 'SHOULD',
    title: 'an unknown site is a 404',
    async run(api) {
      await expectStatus(api, siteTarget(`${api.siteIdPrefix}-no such site`), 404);
    },
  },
  {
    id: 'SITE-ID-05',
    level: 'SHOULD',
    title: 'SQL in an id is text: an unknown site',
    async run(api) {
      for (const tail of ["' or 1=1 --", '%', '_001', '"; drop table sites; --', '*', "\\' union select"]) {
        await expectStatus(api, siteTarget(`${api.siteIdPrefix}-${tail}`), 404);
      }
    },
  },
];
