import { homedir, hostname, tmpdir } from 'node:os';
import { expect } from 'vitest';
import { leaksOf } from '../support/canary.ts';
import { createGate } from '../support/gate.ts';
import { type GraphqlResponse, postOperation, type QueryOptions, startGateway } from '../support/gateway.ts';
import { bareSite, type Script, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

/** They differ in the last character only. */
export const faultyKey = 'q7Zt-4m9XvLw2-Jb81RcKd-1';
const otherKey = 'q7Zt-4m9XvLw2-Jb81RcKd-2';

export const one = '{ site(id: "SITE-1") { id city } }';
export const withClients = '{ site(id: "SITE-1") { id city clients { name } } }';

/** The site of the upstream, different for each key. */
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
  response: GraphqlResponse;
}

/** Posts one operation, with the faulty key unless another is given, and reads the whole response. */
export async function post(url: string, query: string, options: QueryOptions = {}): Promise<Posted> {
  const startedAt = performance.now();
  const { response } = await postOperation(url, query, { key: faultyKey, ...options });
  const text = await response.text();
  const { status, headers } = response;
  const whole = { status, headers, ...JSON.parse(text) } as GraphqlResponse;
  return { status, headers, text, response: whole, elapsedMs: performance.now() - startedAt };
}

/** Part of every body of a misbehaving upstream. */
export const canary = 'c4nary in the upstream body';

export const failWith =
  (status: number): Script =>
  (_, res) =>
    sendJson(res, { message: canary }, status);

/** Internals: stacks, file names, addresses, messages of libraries. */
export const inside = [
  /\bat [^"\n]+:\d+:\d+/,
  /\bnode_modules\b/,
  /\bnode:\w/,
  /\.[cm]?[jt]s\b/,
  /\bundici\b|UND_ERR/,
  /\bE[A-Z]{4,}\b/,
  /\d{1,3}(\.\d{1,3}){3}|\[::[\da-f:.]*\]|\blocalhost\b/,
];

/** Neither the response nor the log contains internals, an upstream body or a key. */
export function expectNoLeak(
  { text, headers }: Pick<Posted, 'text' | 'headers'>,
  { upstream, gateway }: { upstream: { url: string }; gateway: { lines: string[] } },
): void {
  const output = [text, ...[...headers].map((field) => field.join(': '))].join('\n');
  for (const pattern of inside) expect(output).not.toMatch(pattern);
  const { host, port } = new URL(upstream.url);
  const folders = [process.cwd(), homedir(), tmpdir()].filter((folder) => folder.length > 1);
  const words = [host, port && `:${port}`, hostname(), canary, ...folders].filter((word) => word !== '');
  for (const word of words) expect(output).not.toContain(word);
  const all = [output, ...gateway.lines].join('\n');
  expect([faultyKey, otherKey].flatMap((key) => leaksOf(key, all))).toEqual([]);
  expect(headers.get('cache-control')).toBe('no-store');
}

/** Time limits that no test reaches, however busy the machine is: a wait for one fails the test. */
const patientEnv = { UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' };

/** An upstream that misbehaves to one key until `heal`; calls of other keys wait for the first of that one. */
export async function startTestSetup(fault: Script, env: NodeJS.ProcessEnv = {}) {
  const fallen = createGate();
  let isHealed = false;
  const upstream = await startUpstream(async (req, res) => {
    const key = req.headers['x-api-key']?.toString();
    if (key === faultyKey && !isHealed) {
      fallen.open();
      return fault(req, res);
    }
    if (key !== faultyKey) await fallen.promise;
    sendJson(res, siteOf(key, siteFromPath(req.url ?? '')));
  });
  const gateway = await startGateway(upstream.url, { ...patientEnv, ...env });
  return {
    upstream,
    gateway,
    /** Releases the others if the upstream cannot see the fault. */
    fall: fallen.open,
    heal() {
      isHealed = true;
    },
    /** The paths of the calls of the faulty key so far. */
    faulty: () => upstream.requests.filter(({ apiKey }) => apiKey === faultyKey).map(({ path }) => path),
    post: (query: string, options: QueryOptions = {}) => post(gateway.url, query, options),
  };
}

export type TestSetup = Awaited<ReturnType<typeof startTestSetup>>;

const CROWD = 10;
const ofCrowd = 'query ($id: ID!) { site(id: $id) { id city clients { name } } }';

/** Ten operations of another key, all active; `settled` checks that each gets its own site. */
export async function gather({ upstream, gateway }: Pick<TestSetup, 'upstream' | 'gateway'>) {
  const before = upstream.requests.length;
  const ids = Array.from({ length: CROWD }, (_, n) => `SITE-${n}`);
  const pending = ids.map((id) => post(gateway.url, ofCrowd, { variables: { id }, key: otherKey }));
  await upstream.received(before + CROWD);
  return {
    async settled() {
      const all = await Promise.all(pending);
      const clients = [{ name: 'other clients' }];
      expect(all.map(({ text }) => JSON.parse(text))).toEqual(
        ids.map((id) => ({ data: { site: { id, city: `other ${id}`, clients } } })),
      );
      expect(upstream.requests.filter(({ apiKey }) => apiKey === otherKey)).toHaveLength(CROWD);
    },
  };
}

/** The response to the faulty key while ten operations of another key are active, which all succeed. */
export async function postBesideOthers(
  setup: TestSetup,
  query: string,
  options: QueryOptions = {},
): Promise<Posted> {
  const others = await gather(setup);
  const posted = await setup.post(query, options);
  await others.settled();
  expectNoLeak(posted, setup);
  return posted;
}

/** The next request of the faulty key, after the upstream has recovered. */
export async function expectRecovery(setup: TestSetup): Promise<void> {
  setup.heal();
  const { status, text } = await setup.post(withClients);
  expect({ status, ...JSON.parse(text) }).toEqual({
    status: 200,
    data: { site: { id: 'SITE-1', city: 'faulty SITE-1', clients: [{ name: 'faulty clients' }] } },
  });
}
