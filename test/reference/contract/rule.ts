import { expect } from 'vitest';
import type { ReferenceOptions } from '../../../reference/server.ts';
import type { WireResponse } from '../../support/wire.ts';
import { contextTarget, type Headers, siteTarget } from '../support/server.ts';

/** Keys that only an implementation with the demo data has. */
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
  /** A valid key with every scope. */
  key: string;
  siteIdPrefix: string;
  /** Empty if the environment sets none. */
  siteId: string;
  conversationId: string;
  demo: DemoKeys | null;
  /** Sends the target as it is, and checks the response against the API's own description, if it has one. */
  send(target: string, headers?: Headers, method?: string): Promise<WireResponse>;
  /** Another server over the same data, closed after all rules. Only with the demo data. */
  another(changes: Partial<ReferenceOptions>): Promise<Api>;
}

/** Skipped for an API without what it needs. */
export interface Rule {
  (api: Api): Promise<unknown>;
  needs?: 'site' | 'conversation' | 'demo';
}

/**
 * By id, level and title. The id never changes its meaning and is never reused. MUST: the REST document says
 * so; SHOULD: a convention where it says "not shown".
 */
export type Rules = Record<string, Rule>;

const needing = (needs: NonNullable<Rule['needs']>) => (run: (api: Api) => Promise<void>) =>
  Object.assign(run, { needs });
export const withSite = needing('site');
export const withConversation = needing('conversation');
export const withDemo = needing('demo');

/** Every readable resource. */
export function targetsOf({ siteId, conversationId }: Api): string[] {
  const site = siteId === '' ? [] : [siteTarget(siteId)];
  const context = conversationId === '' ? [] : [contextTarget(conversationId)];
  return ['/v1/health', ...site, ...context];
}

/** Sends a request and expects this status. */
export async function expectStatus(api: Api, target: string, status: number, headers?: Headers) {
  const response = await api.send(target, headers);
  expect(response.status, target).toBe(status);
  return response;
}

/** The JSON object at the target. */
export async function read(api: Api, target: string, headers?: Headers) {
  return JSON.parse((await expectStatus(api, target, 200, headers)).body);
}
