import { createErrorMask } from '../../../src/errors.ts';
import { createAdmission } from '../../../src/http/admission.ts';
import { createGraphqlHandler } from '../../../src/http/graphql-handler.ts';
import { startServer } from '../../../src/http/server/server.ts';
import { createInput } from '../../../src/input.ts';
import { createLoaders } from '../../../src/loaders.ts';
import { createPipeline } from '../../../src/operation/pipeline.ts';
import { schema } from '../../../src/schema/index.ts';
import { createCaller } from '../../../src/upstream/caller.ts';
import { createUpstreamClient } from '../../../src/upstream/client.ts';
import type { Relation } from '../../support/contract.ts';
import { apiKey, testConfig } from '../../support/gateway.ts';
import { startDocuments } from '../../support/upstreams/documents.ts';
import type { Operation } from './operation.ts';
import { createPace, type Pace } from './pace.ts';

type Client = ReturnType<typeof createUpstreamClient>;

/** One call for a resource, in ticks of the operation's pace. */
export interface Call {
  resource: 'site' | 'conversation' | 'health';
  id: string;
  include: readonly Relation[];
  sentAt: number;
  endedAt: number;
}

/** What an operation cost. */
export interface Cost {
  calls: readonly Call[];
  /** The paths that the upstream received. */
  paths: string[];
}

/** A gateway in front of the documents, both over HTTP, that executes one operation at a time. */
export interface TestSetup {
  post(operation: Operation, accept: string): Promise<Response>;
  /** The cost of the last operation, once its response is read. */
  cost(): Cost;
  close(): Promise<void>;
}

/** Random operations exceed the default limits, which other tests cover. */
export const boundless = {
  MAX_BODY_BYTES: '10000000',
  characters: 10_000_000,
  tokens: 1_000_000,
  MAX_DEPTH: '1000',
  fields: 1_000_000,
  rootFields: 10_000,
  aliases: 100_000,
  directives: 100_000,
  MAX_UPSTREAM_CALLS: '10000',
  maxResources: 1_000_000,
  maxValues: 1_000_000_000,
  errors: 100_000,
};

/** Opens a gateway, whose upstream is closed at the end of the test. */
export async function startTestSetup(): Promise<TestSetup> {
  const upstream = await startDocuments();
  const config = testConfig(boundless);
  const client = createUpstreamClient({
    ...config.upstream,
    url: new URL(upstream.url),
    drift: () => {},
    onFault: () => {},
  });
  const pipeline = createPipeline({
    ...config,
    bounds: boundless,
    schema,
    input: createInput(config),
    toPath: () => '',
    mask: createErrorMask(() => {}),
  });

  let calls: Call[] = [];
  let pace: Pace = createPace([0]);
  const handler = createGraphqlHandler({
    createLoaders: (key, disconnected) =>
      createLoaders(
        recorded(client, calls, pace),
        createCaller(key, disconnected, config.operationTimeoutMs),
        config.maxUpstreamCalls,
      ),
    pipeline,
    maxBodyBytes: config.maxBodyBytes,
    admission: createAdmission(config.maxConcurrentOperations),
    graphiql: undefined,
    onFault: () => {},
  });
  const server = await startServer(handler, config);

  return {
    post({ text, variables, order }, accept) {
      upstream.requests.length = 0;
      calls = [];
      pace = createPace(order);
      return fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'x-api-key': apiKey },
        body: JSON.stringify({ query: text, variables }),
      });
    },
    cost: () => ({ calls, paths: upstream.paths() }),
    async close() {
      await server.close();
      await client.close();
    },
  };
}

/** The same client with recorded calls, whose responses pass in the order of the test. */
function recorded(client: Client, calls: Call[], pace: Pace): Client {
  const pass = <T>(
    target: Pick<Call, 'resource' | 'id' | 'include'>,
    respond: () => Promise<T>,
  ): Promise<T> => {
    const call: Call = { ...target, sentAt: pace.tick(), endedAt: Number.POSITIVE_INFINITY };
    calls.push(call);
    const passed = pace.pass(respond).finally(() => {
      call.endedAt = pace.tick();
    });
    // The checks of the calls find one that is not awaited; its failure must not end the process.
    passed.catch(() => {});
    return passed;
  };
  return {
    ...client,
    getSite: (caller, id, include) =>
      pass({ resource: 'site', id, include }, () => client.getSite(caller, id, include)),
    getConversationContext: (caller, id) =>
      pass({ resource: 'conversation', id, include: [] }, () => client.getConversationContext(caller, id)),
    getHealth: (caller) => pass({ resource: 'health', id: '', include: [] }, () => client.getHealth(caller)),
  };
}
