import { expect } from 'vitest';
import { createGate } from '../support/gate.ts';
import { type Answer, startGateway } from '../support/gateway.ts';
import { bareSite, type Script, sendJson, siteAsked, startUpstream } from '../support/upstream.ts';
import { expectDiscreet } from './discreet.ts';

/** They differ in their last character alone. */
export const faultyKey = 'q7Zt-4m9XvLw2-Jb81RcKd-1';
export const otherKey = 'q7Zt-4m9XvLw2-Jb81RcKd-2';

export const one = '{ site(id: "SITE-1") { id city } }';
export const withClients = '{ site(id: "SITE-1") { id city clients { name } } }';

/** What the upstream knows of a site, told apart by whose it is. */
export function siteOf(key: string | undefined, { id, include }: { id: string; include: string[] }) {
  const owner = key === faultyKey ? 'faulty' : key === otherKey ? 'other' : 'stranger';
  const relations = include.map((relation) => [relation, [{ id: 'x', name: `${owner} ${relation}` }]]);
  return { ...bareSite(id), city: `${owner} ${id}`, ...Object.fromEntries(relations) };
}

export interface Posted {
  status: number;
  headers: Headers;
  text: string;
  elapsedMs: number;
  answer: Answer;
}

export interface Post {
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Posts one operation, and reads the answer to its last byte. */
export async function post(
  url: string,
  query: string,
  { key = faultyKey, headers = {}, signal }: Post = {},
): Promise<Posted> {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key, ...headers },
    body: JSON.stringify({ query }),
    signal: signal ?? null,
  });
  const text = await response.text();
  const { status, headers: fields } = response;
  const answer = { status, headers: fields, ...JSON.parse(text) } as Answer;
  return { status, headers: fields, text, answer, elapsedMs: performance.now() - startedAt };
}

/**
 * A gateway before an upstream that misbehaves towards one key until it is healed. The calls of any other wait until the
 * first of the faulty key has come, and are then answered as they should be.
 */
export async function startStage(fault: Script, env: NodeJS.ProcessEnv = {}) {
  const fallen = createGate();
  let isHealed = false;
  const upstream = await startUpstream(async (req, res) => {
    const key = req.headers['x-api-key']?.toString();
    if (key === faultyKey && !isHealed) {
      fallen.open();
      return fault(req, res);
    }
    if (key !== faultyKey) await fallen.promise;
    sendJson(res, siteOf(key, siteAsked(req.url ?? '')));
  });
  const gateway = await startGateway(upstream.url, env);
  return {
    upstream,
    gateway,
    /** Lets the others go though the fault is none that the upstream could notice. */
    fall: fallen.open,
    heal() {
      isHealed = true;
    },
    /** The paths that the faulty key has asked for so far. */
    faulty: () => upstream.asked.filter(({ apiKey }) => apiKey === faultyKey).map(({ path }) => path),
    ask: (query: string, question: Post = {}) => post(gateway.url, query, question),
  };
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

const CROWD = 50;

/** Fifty operations of another key, all under way; `settled` checks that each has its own site, in time. */
export async function gather({ upstream, gateway }: Pick<Stage, 'upstream' | 'gateway'>, timeoutMs: number) {
  const before = upstream.asked.length;
  const ids = Array.from({ length: CROWD }, (_, n) => `SITE-${n}`);
  const asking = ids.map((id) =>
    post(gateway.url, `{ site(id: "${id}") { id city clients { name } } }`, { key: otherKey }),
  );
  await upstream.heard(before + CROWD);
  return {
    async settled() {
      const all = await Promise.all(asking);
      const clients = [{ name: 'other clients' }];
      expect(all.map(({ text }) => JSON.parse(text))).toEqual(
        ids.map((id) => ({ data: { site: { id, city: `other ${id}`, clients } } })),
      );
      expect(upstream.asked.filter(({ apiKey }) => apiKey === otherKey)).toHaveLength(CROWD);
      expect(Math.max(...all.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(timeoutMs);
    },
  };
}

/** The faulty key's answer, had while fifty operations of the other are under way, succeed, and learn nothing of it. */
export async function askInCrowd(stage: Stage, query: string, timeoutMs: number): Promise<Posted> {
  const crowd = await gather(stage, timeoutMs);
  const posted = await stage.ask(query);
  await crowd.settled();
  expectDiscreet(posted, stage);
  return posted;
}

/** The next question of the faulty key, now that the upstream is well again. */
export async function expectRecovery(stage: Stage): Promise<void> {
  stage.heal();
  const { status, text } = await stage.ask(withClients);
  expect({ status, ...JSON.parse(text) }).toEqual({
    status: 200,
    data: { site: { id: 'SITE-1', city: 'faulty SITE-1', clients: [{ name: 'faulty clients' }] } },
  });
}
