import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import type { Property } from '../../../src/rest/json.ts';
import { contextTarget, relations, siteProperties } from '../../../src/rest/resources.ts';
import { schema } from '../../../src/schema/index.ts';
import { siteFromPath } from '../../support/upstream.ts';
import { advance, createEngine, settle, useFakeTime } from './engine.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';

type Json = Record<string, unknown>;

/** Two values of each kind that a property may have. */
const samples: [unknown, unknown][] = [
  ['2026-01-02T03:04:05Z', '2026-06-07T08:09:10Z'],
  [1, 2],
  [true, false],
];
const days = ['2026-01-02', '2026-06-07'];
const labels = ['Priority', 'Secure'];

/** An object with all of these properties. `onValue` gets what changes one value in it. */
function jsonOf(properties: readonly Property[], onValue: (change: () => void) => void, at = 0): Json {
  const json: Json = {};
  for (const { name, field, reader } of properties) {
    const { element } = reader;
    const ofElement = element?.properties;
    if (ofElement) json[name] = [0, 1].map((n) => jsonOf(ofElement, onValue, n));
    else if (reader.properties) json[name] = jsonOf(reader.properties, onValue);
    else {
      const [first, second] = valuesOf(field, (value) => (element ?? reader)(value, '', () => {}) !== null);
      json[name] = element ? [first] : at === 0 ? first : second;
      onValue(() => {
        json[name] = element ? [first, second] : json[name] === first ? second : first;
      });
    }
  }
  return json;
}

function valuesOf(field: string, isValid: (value: unknown) => boolean): readonly unknown[] {
  if (/^Project\..*(Day1|Date|Expiration)$/.test(field)) return days;
  if (/serviceLevel$/.test(field)) return labels;
  if (field === 'ConversationSite.id') return ['SITE-1', 'SITE-2'];
  return samples.find(([value]) => isValid(value)) ?? [];
}

/** A selection of each field below a type, alone: `clients { name }`. */
function selectionsOf(type: GraphQLObjectType, path: readonly string[] = []): string[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (path.includes(type.name)) return [];
    if (!isObjectType(inner)) return [field.name];
    const below = selectionsOf(inner, [...path, type.name]).map(
      (selection) => `${field.name} { ${selection} }`,
    );
    const internal = field.args.some(({ name }) => name === 'isInternal');
    return internal ? [...below, 'internal: messages(isInternal: true) { text }'] : below;
  });
}

const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;
const roots = [
  ...selectionsOf(typeOf('Site')).map((selection) => `site(id: "SITE-1") { ${selection} }`),
  ...selectionsOf(typeOf('ConversationContext')).map(
    (selection) => `conversationContext(id: "${conversation}") { ${selection} }`,
  ),
];

it('a change of any value reaches each field that shows it, as a query shows it', async () => {
  useFakeTime();
  const changes: (() => void)[] = [];
  const site = jsonOf(siteProperties, (change) => changes.push(change));
  const context = jsonOf(contextTarget('').properties, (change) => changes.push(change));
  // Lists become longer.
  for (const list of [site.clients, site.projects, context.messages, context.sites] as Json[][]) {
    changes.push(() => list.push({ ...list[0] }));
  }
  // The primary ones are those marked so.
  changes.push(() => Object.assign(site, { primaryClientId: null, primaryProjectId: null }));
  for (const one of [site.clients, site.projects].flat() as Json[]) {
    changes.push(() => Object.assign(one, { isPrimary: !one.isPrimary }));
  }
  const engine = createEngine(
    (path) => {
      if (path.includes(conversation)) return { json: context };
      const { id, include } = siteFromPath(path);
      const excluded = relations.filter((relation) => !include.includes(relation));
      return { json: { ...site, ...Object.fromEntries(excluded.map((name) => [name, undefined])), id } };
    },
    { maxGroupsPerKey: 1000 },
  );
  const streams = roots.map((root) => engine.open(`subscription { live { ${root} } }`));
  await settle();
  expect(streams.flatMap(({ events }) => events[0]?.errors ?? [])).toEqual([]);
  const whole = `{ ${roots.join(' ')} }`;
  for (const change of changes) {
    change();
    await advance(1250);
    const { data } = JSON.parse(JSON.stringify(await engine.query(whole)));
    for (const { events } of streams) {
      expect({ live: data }).toMatchObject(JSON.parse(JSON.stringify(events.at(-1)?.data)));
    }
  }
  expect(changes.length).toBeGreaterThan(90);
  // Each field has shown a change, but for the ids that were requested.
  const quiet = roots.filter((_, n) => streams[n]?.events.length === 1);
  expect(quiet.map((root) => root.replace(/^.*\) /, ''))).toEqual(['{ id }', '{ id }']);
});
