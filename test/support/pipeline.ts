import { composition, operationParts } from '../../src/features.ts';
import { createHandler } from '../../src/http/handler.ts';
import { createPipeline } from '../../src/operation/pipeline.ts';
import type { UpstreamClient } from '../../src/rest/client.ts';
import { createErrorMask } from '../../src/schema/error-mask.ts';
import { servedSchema } from '../../src/schema/index.ts';
import { type TestSettings, testConfig } from './gateway.ts';
import { startServer } from './server.ts';

/** A gateway with a client of the REST API that the test provides: for faults that no upstream can cause. */
export async function startPipeline(client: UpstreamClient, settings: TestSettings = {}) {
  const config = testConfig({ LIVE: 'off', ...settings });
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  const pipeline = createPipeline({
    ...config,
    schema: servedSchema(composition.compose(config, () => {}).schema),
    mask: createErrorMask(onFault),
    operationParts: (core) => operationParts(core, config),
  });
  await pipeline.start();
  const { listener } = createHandler({ ...config, ...pipeline, client, routes: [], onFault });
  const { url } = await startServer(listener, config);
  return { url: `${url}/graphql`, faults };
}
