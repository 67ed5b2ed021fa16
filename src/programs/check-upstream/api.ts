import { execute, type GraphQLNamedType, getNamedType, isObjectType, parse } from 'graphql';
import type { CoreConfig } from '../../config/core.ts';
import { readNotices } from '../../features/notices/index.ts';
import { Aborter } from '../../rest/abort.ts';
import { request, type Send, UpstreamRequest } from '../../rest/call.ts';
import { apiKeyOf, type UpstreamCall } from '../../rest/caller.ts';
import { createClient } from '../../rest/client.ts';
import { decoding } from '../../rest/decoding.ts';
import { retry } from '../../rest/guards/retry.ts';
import type { Relation } from '../../rest/resources.ts';
import { same } from '../../rest/sync-promise.ts';
import { healthTarget } from '../../rest/targets.ts';
import { createTransport } from '../../rest/transport.ts';
import { createErrorMask } from '../../schema/error-mask.ts';
import { schema } from '../../schema/index.ts';
import { createInput } from '../../schema/input.ts';
import { OperationCalls } from '../../schema/loaders.ts';
import { ResponseBudget } from '../../schema/response-budget.ts';

export type Kind = 'site' | 'conversation';
export type Api = ReturnType<typeof createApi>;

/** A request may exceed UPSTREAM_TIMEOUT_MS: a rule compares them. */
const LEAST_TIMEOUT_MS = 30_000;

/** Executes queries on the REST API by the gateway's own code, without retries, and records the calls. */
export function createApi({ url, key, config }: { url: URL; key: string; config: CoreConfig }) {
  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, 2 * config.upstream.timeoutMs);
  let drifted = new Set<string>();
  const drift = (field: string) => void drifted.add(field);
  const transport = createTransport({ ...config, url, timeoutMs, readNotices });
  const send: Send = (request, done) => {
    request.startedAtMs = performance.now();
    transport.send(request, done);
  };
  const call = decoding(drift)(retry(timeoutMs, 0)(send));
  const client = createClient(call);
  const calls: UpstreamCall[] = [];
  const callerOf = (text: string) => ({ key: apiKeyOf(text), signal: new Aborter() });
  const mask = createErrorMask((fault) => {
    throw fault;
  });

  /** Selects all fields of a resource that one REST call returns. `faults` says what is null, and why. */
  async function read(kind: Kind, id: string, include?: Relation, apiKey = key) {
    drifted = new Set();
    const operation = new OperationCalls(client, callerOf(apiKey), config.maxUpstreamCalls);
    const [field, type] = kind === 'site' ? ['site', 'Site'] : ['conversationContext', 'ConversationContext'];
    const query = `query ($id: ID!) { ${field}(id: $id) ${selectionOf(schema.getType(type), include)} }`;
    // The prefix of site ids is a rule of its own.
    const input = createInput({ ...config, siteIdPrefix: id.split('-')[0] ?? '' });
    const response = new ResponseBudget(config);
    const contextValue = { input, loaders: operation, response };
    const document = parse(query);
    const { data, errors = [] } = await execute({ schema, document, variableValues: { id }, contextValue });
    calls.push(...operation.ended);
    const failures = errors.map((error) => {
      const path = error.path?.filter((step) => typeof step === 'string').join('.');
      return `${path} is null, with the error ${mask(error, '').extensions.code}`;
    });
    const drifts = [...drifted].map((name) => `${name} is missing or invalid, and counted as drift`);
    return {
      faults: [...new Set([...failures, ...drifts])],
      isFound: data?.[field] !== null,
      statuses: operation.ended.map(({ status }) => status),
      quota: operation.notices?.quota ?? null,
    };
  }

  return {
    calls,
    config,
    read,
    /** The response of the health endpoint, of any status. @throws UpstreamError */
    health: () => request(call, new UpstreamRequest(callerOf(key), healthTarget), same),
    close: transport.close,
  };
}

/** All fields of a type, and of those below it, that need no REST call but the one with this relation. */
function selectionOf(type?: GraphQLNamedType, include?: Relation): string {
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).filter(({ extensions }) => {
    const isLoaded = extensions.include === undefined || extensions.include === include;
    return isLoaded && extensions.resourceInData === undefined;
  });
  return `{ ${fields.map((field) => field.name + selectionOf(getNamedType(field.type))).join(' ')} }`;
}
