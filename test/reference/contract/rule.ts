import { expect } from 'vitest';
import type { ReferenceOptions } from '../../../src/reference/server.ts';
import type { Answer, Headers } from '../support/server.ts';

/** Keys of Acme's and Globex's that only an implementation with the demo data has. */
interface DemoKeys {
  globex: string;
  siteOnly: string;
  conversationOnly: string;
  scopeless: string;
  revoked: string;
  expired: string;
}

/** One implementation under the rules. */
export interface Api {
  url: string;
  /** A living key with every scope. */
  key: string;
  siteIdPrefix: string;
  /** Empty where the caller of the suite named none. */
  siteId: string;
  conversationId: string;
  demo: DemoKeys | null;
  /** Sends the target byte for byte, and holds the answer against the API's own description, if it has one. */
  ask(target: string, headers?: Headers, method?: string): Promise<Answer>;
  /** Another server over the same data, which is gone when the rules are through; for the demo only. */
  another(changes: Partial<ReferenceOptions>): Promise<Api>;
}

export interface Rule {
  /** Never changes its meaning, and is never given to another. */
  id: string;
  /** MUST: the REST document says so. SHOULD: a convention where it says "not shown". */
  level: 'MUST' | 'SHOULD';
  title: string;
  /** What an API has to have for the rule to be asked of it. */
  needs?: 'site' | 'conversation' | 'demo';
  run(api: Api): Promise<void>;
}

/** Every resource that a key with all scopes can read. */
export function targetsOf({ siteId, conversationId }: Api): string[] {
  const site = siteId === '' ? [] : [siteTarget(siteId)];
  const context = conversationId === '' ? [] : [contextTarget(conversationId)];
  return ['/v1/health', ...site, ...context];
}

export const siteTarget = (id: string, query = '') => `/v1/site/${encodeURIComponent(id)}${query}`;
export const contextTarget = (id: string) => `/v1/conversation/${id}/context`;
export const withKey = (key: string): Headers => ({ 'x-api-key': key });

/** Asks and expects this status. */
export async function expectStatus(api: Api, target: string, status: number, headers?: Headers) {
  const answer = await api.ask(target, headers);
  expect(answer.status, target).toBe(status);
  return answer;
}

/** The object that a target answers. */
export async function read(api: Api, target: string, headers?: Headers) {
  return JSON.parse((await expectStatus(api, target, 200, headers)).body);
}
