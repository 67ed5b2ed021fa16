import { onTestFinished } from 'vitest';
import { createErrorMask } from '../../src/errors.ts';
import { createAdmission } from '../../src/http/admission.ts';
import { createGraphqlHandler } from '../../src/http/graphql-handler.ts';
import { startServer } from '../../src/http/server/server.ts';
import { createInput } from '../../src/input.ts';
import { createLoaders } from '../../src/loaders.ts';
import { createPipeline } from '../../src/operation/pipeline.ts';
import type { TrustOptions } from '../../src/operation/trusted/trusted-documents.ts';
import { schema } from '../../src/schema/index.ts';
import { createCaller } from '../../src/upstream/caller.ts';
import type { UpstreamClient } from '../../src/upstream/client.ts';
import { pathOf } from '../../src/upstream/target.ts';
import { testConfig } from './gateway.ts';

/** A gateway with a client of the REST API that the test provides: for faults that no upstream can cause. */
export async function startPipeline(
  client: UpstreamClient,
  env: NodeJS.ProcessEnv = {},
  trust?: TrustOptions,
) {
  const config = testConfig(env);
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  const pipeline = createPipeline({
    ...config,
    schema,
    input: createInput(config),
    toPath: pathOf,
    mask: createErrorMask(onFault),
    trust,
  });
  const handler = createGraphqlHandler({
    createLoaders: (apiKey, disconnected) =>
      createLoaders(
        client,
        createCaller(apiKey, disconnected, config.operationTimeoutMs),
        config.maxUpstreamCalls,
      ),
    pipeline,
    maxBodyBytes: config.maxBodyBytes,
    admission: createAdmission(config.maxConcurrentOperations),
    onFault,
    graphiql: undefined,
  });
  const { url, close } = await startServer(handler, config);
  onTestFinished(close);
  return { url: `${url}/graphql`, faults };
}
