import { expect } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { type ReferenceOptions, startReference } from '../../../reference/server.ts';
import type { WireResponse } from '../../support/wire.ts';
import {
  contextTarget,
  type Headers,
  optionsWith,
  sendRequest,
  siteTarget,
  withKey,
} from '../support/server.ts';
import { Description } from './description.ts';

export interface Api {
  /** Sends the target as it is, and checks the response against the API's own description. The default key is Acme's. */
  send(target: string, headers?: Headers, method?: string): Promise<WireResponse>;
  /** Another server over the same data, closed after all rules. */
  another(changes: Partial<ReferenceOptions>): Promise<Api>;
}

/** By an id that is never reused, the level and a title: MUST by the REST document, SHOULD by convention. */
export type Rules = Record<string, (api: Api) => Promise<unknown>>;

export const globex = withKey(demoKeys.globex);
export const site = siteTarget(demoSites().main);
export const context = contextTarget(demoConversations.main);
/** Every readable resource. */
export const targets = ['/v1/health', site, context];

/** Starts the reference on this database; `closers` gets a function for each server. */
export async function startApi(
  databaseUrl: string,
  closers: (() => Promise<void>)[],
  changes: Partial<ReferenceOptions> = {},
): Promise<Api> {
  const reference = await startReference(optionsWith({ databaseUrl, ...changes }));
  closers.push(reference.close);
  const { body } = await sendRequest(reference, '/v1/openapi.json', {});
  const description = new Description(JSON.parse(body));
  return {
    async send(target, headers = withKey(demoKeys.acme), method = 'GET') {
      const response = await sendRequest(reference, target, headers, method);
      description.expectFit(method, target, response);
      return response;
    },
    another: (more) => startApi(databaseUrl, closers, more),
  };
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
