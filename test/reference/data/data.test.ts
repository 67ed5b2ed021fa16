import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import * as contract from '../../../reference/contract.ts';
import { createAcmeDemo } from '../../../reference/data/acme.ts';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { createGlobexDemo } from '../../../reference/data/globex.ts';
import { startReference } from '../../../reference/server.ts';
import { contextTarget, optionsFor, sendRequest, siteTarget } from '../support/server.ts';

interface PartnerObjects {
  sites: Map<string, z.infer<typeof contract.expandedSite>>;
  conversations: Map<string, contract.ConversationContext>;
}

/** The demo data of both partners, read over HTTP and validated. */
const partners: PartnerObjects[] = [];
let close = async () => {};

beforeAll(async () => {
  const reference = await startReference({ ...optionsFor(''), databaseUrl: ':memory:' });
  close = () => reference.close();
  for (const [demo, key] of [
    [createAcmeDemo('SITE'), demoKeys.acme],
    [createGlobexDemo('SITE'), demoKeys.globex],
  ] as const) {
    const read = async (target: string) =>
      JSON.parse((await sendRequest(reference, target, { 'x-api-key': key })).body);
    const objects: PartnerObjects = { sites: new Map(), conversations: new Map() };
    for (const { site } of demo.sites) {
      const json = await read(siteTarget(site.id, '?include=clients,projects'));
      objects.sites.set(
        site.id,
        contract.expandedSite.required({ clients: true, projects: true }).parse(json),
      );
    }
    for (const { id } of demo.conversations) {
      objects.conversations.set(id, contract.conversationContext.parse(await read(contextTarget(id))));
    }
    partners.push(objects);
  }
});
afterAll(() => close());

const allSites = () => partners.flatMap(({ sites }) => [...sites.values()]);
const allContexts = () => partners.flatMap(({ conversations }) => [...conversations.values()]);

it('has every service level, and sites without one', () => {
  const [namedLevels] = contract.serviceLevel.options;
  const levels = new Set(allSites().map(({ serviceLevel }) => serviceLevel));
  expect(levels).toEqual(new Set([...namedLevels.options, 'Brightwell - Internal', undefined]));
});

it('has every optional field both present and absent somewhere', () => {
  const seen: Seen = { present: new Set(), absent: new Set() };
  for (const { clients, projects, ...site } of allSites()) {
    noteOptionals(contract.site, site, 'site', seen);
    for (const client of clients ?? []) noteOptionals(contract.client, client, 'client', seen);
    for (const project of projects ?? []) noteOptionals(contract.project, project, 'project', seen);
  }
  for (const context of allContexts()) noteOptionals(contract.conversationContext, context, 'context', seen);
  expect(seen.present.size).toBeGreaterThan(70);
  expect([...seen.present].sort()).toEqual([...seen.absent].sort());
});

it('names primaries that exist, in each of the three ways', () => {
  const ways = new Set<string>();
  for (const { primaryClientId, primaryProjectId, clients = [], projects = [] } of allSites()) {
    const marked = clients.filter(({ isPrimary }) => isPrimary);
    expect(marked.length).toBeLessThanOrEqual(1);
    if (primaryClientId !== undefined) expect(clients.map(({ id }) => id)).toContain(primaryClientId);
    if (primaryProjectId !== undefined) expect(projects.map(({ id }) => id)).toContain(primaryProjectId);
    if (primaryClientId !== undefined && marked[0]) expect(marked[0].id).toBe(primaryClientId);
    if (clients.length > 0) ways.add(primaryClientId ? 'named' : marked.length > 0 ? 'marked' : 'neither');
  }
  expect(ways).toEqual(new Set(['named', 'marked', 'neither']));
});

interface Seen {
  present: Set<string>;
  absent: Set<string>;
}

/** Records for every optional field of `schema`, at any depth, whether `value` has it. */
function noteOptionals(schema: z.core.$ZodType, value: unknown, path: string, seen: Seen): void {
  if (schema instanceof z.ZodExactOptional) {
    (value === undefined ? seen.absent : seen.present).add(path);
    if (value !== undefined) noteOptionals(schema.unwrap(), value, path, seen);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) noteOptionals(schema.element, item, `${path}[]`, seen);
  } else if (schema instanceof z.ZodObject && value instanceof Object) {
    const fields = new Map(Object.entries(value));
    for (const [name, field] of Object.entries(schema.shape)) {
      noteOptionals(field as z.core.$ZodType, fields.get(name), `${path}.${name}`, seen);
    }
  }
}
