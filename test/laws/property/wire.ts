import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import { type Relation, relations } from '../../support/contract.ts';
import { sites } from '../../support/documents.ts';
import type { Expectation, SiteRead } from './oracle.ts';
import type { Call, Cost } from './test-setup.ts';

/** Compares calls with the fields that are read: no call or relation too many, and none too late. */
export function checkWire({ calls, paths }: Cost, { reads, readsAtOnce }: Expectation): void {
  const callsFor = (resource: Call['resource']) => calls.filter((call) => call.resource === resource);
  const idsOf = (resource: Call['resource']) => callsFor(resource).map(({ id }) => id);
  const siteIds = distinct(reads.sites.map(({ id }) => id));

  same(paths, calls.map(pathOf), 'The calls stand on the wire as they were made');
  same(idsOf('health'), reads.health ? [''] : [], 'health is requested once, if it is read');
  same(idsOf('conversation'), [...reads.conversations], 'each conversation that is read is requested once');
  same(distinct(idsOf('site')), siteIds, 'exactly the sites that are read are requested');

  /** The tick in which the id of a site is known: the first, or that of the conversation that contains it. */
  const reachedAt = ({ via }: SiteRead) =>
    callsFor('conversation').find(({ id }) => id === via)?.endedAt ?? 0;
  for (const id of siteIds) {
    const timed = (all: SiteRead[]): TimedRead[] =>
      all.filter((read) => read.id === id).map((read) => ({ ...read, at: reachedAt(read) }));
    checkSite(
      id,
      callsFor('site').filter((call) => call.id === id),
      timed(reads.sites),
      timed(readsAtOnce.sites),
    );
  }
}

type TimedRead = SiteRead & { at: number };

/** The calls for one site: exactly one if no conversation contains it and nothing is deferred. */
function checkSite(id: string, calls: Call[], reads: TimedRead[], readsAtOnce: TimedRead[]): void {
  // If the site is missing, its deferred relations are not read.
  const wanted = (sites.has(id) ? reads : readsAtOnce).flatMap((read) => [...read.relations]);
  const requested = calls.flatMap(({ include }) => include);
  same(requested, distinct(wanted), `exactly the relations of ${id} that are read are requested, once each`);
  const again = calls.slice(1).filter(({ include }) => include.length === 0);
  same(again, [], `no call for ${id} without a relation after the first`);

  const reached = Math.min(...reads.map(({ at }) => at));
  assert.equal(calls[0]?.sentAt, reached, `${id} is requested as soon as its id is known`);
  const arrived = Math.min(...calls.map(({ endedAt: answeredAt }) => answeredAt));
  const due = (relation: Relation) =>
    Math.min(...readsAtOnce.filter((read) => read.relations.has(relation)).map(({ at }) => at));
  const isPutOff = ({ sentAt, include }: Call) =>
    include.length > 0 && include.every((relation) => due(relation) > sentAt);

  for (const call of calls) {
    for (const relation of call.include) {
      const rule = `${relation} of ${id}, due in tick ${due(relation)}, is requested in tick ${call.sentAt}`;
      assert(call.sentAt <= due(relation), `${rule}: too late`);
      assert(call.sentAt === due(relation) || call.sentAt >= arrived, `${rule}: before its turn`);
    }
  }
  // A deferred relation may be requested in the tick in which another conversation contains the site,
  // together with that load.
  const ticks = calls.map((call) => `${call.sentAt}${isPutOff(call) ? ', put off' : ''}`);
  same(ticks, distinct(ticks), `${id} is requested at most once per tick`);
}

function pathOf({ resource, id, include }: Call): string {
  if (resource === 'health') return '/v1/health';
  if (resource === 'conversation') return `/v1/conversation/${id}/context`;
  const inOrder = relations.filter((relation) => include.includes(relation));
  return `/v1/site/${encodeURIComponent(id)}${inOrder.length > 0 ? `?include=${inOrder.join(',')}` : ''}`;
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

/** Equal in any order. */
function same(actual: readonly unknown[], expected: readonly unknown[], rule: string): void {
  const sorted = (items: readonly unknown[]) => items.map(String).sort();
  if (!isDeepStrictEqual(sorted(actual), sorted(expected))) {
    assert.fail(`${rule}: ${inspect(actual)} is not ${inspect(expected)}`);
  }
}
