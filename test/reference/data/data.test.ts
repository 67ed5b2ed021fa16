import { expect, it } from 'vitest';
import { z } from 'zod';
import * as contract from '../../../reference/contract.ts';
import { createAcmeDemo } from '../../../reference/data/acme.ts';
import { createGlobexDemo } from '../../../reference/data/globex.ts';

const demos = [createAcmeDemo('SITE'), createGlobexDemo('SITE')];
/** As they are sent, and validated. */
const sites = demos
  .flatMap((demo) => demo.sites.map(({ site, ...relations }) => ({ ...site, ...relations })))
  .map((site) => contract.expandedSite.parse(JSON.parse(JSON.stringify(site))));
const contexts = demos
  .flatMap(({ conversations }) => conversations.map(({ context }) => context))
  .map((context) => contract.conversationContext.parse(JSON.parse(JSON.stringify(context))));

it('has every service level, and sites without one', () => {
  const [namedLevels] = contract.serviceLevel.options;
  const levels = new Set(sites.map(({ serviceLevel }) => serviceLevel));
  expect(levels).toEqual(new Set([...namedLevels.options, 'Brightwell - Internal', undefined]));
});

it('has every optional field both present and absent somewhere', () => {
  const seen: Seen = { present: new Set(), absent: new Set() };
  for (const { clients, projects, ...site } of sites) {
    noteOptionals(contract.site, site, 'site', seen);
    for (const client of clients ?? []) noteOptionals(contract.client, client, 'client', seen);
    for (const project of projects ?? []) noteOptionals(contract.project, project, 'project', seen);
  }
  for (const context of contexts) noteOptionals(contract.conversationContext, context, 'context', seen);
  expect(seen.present.size).toBeGreaterThan(70);
  expect([...seen.present].sort()).toEqual([...seen.absent].sort());
});

it('names primaries that exist, in each of the three ways', () => {
  const ways = new Set<string>();
  for (const { primaryClientId, primaryProjectId, clients = [], projects = [] } of sites) {
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
