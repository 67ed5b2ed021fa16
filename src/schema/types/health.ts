import type { Health } from '../../rest/health.ts';
import { builder, objectType } from '../builder.ts';
import type { Resource } from '../resources.ts';

const healthRef = objectType<Health>('Health', 'The outcome of one call to the health endpoint.', {
  reachable: ['Boolean!', 'Whether the REST API answered with a status from 200 to 299.'],
  statusCode: ['Int', 'The HTTP status of the answer; null when no complete answer came.'],
  latencyMs: ['Float!', 'How long the call took, in milliseconds.'],
  body: ['JSON', 'The response, if it is JSON. The REST document does not show its shape.'],
});

builder.queryField('health', (t) =>
  t.field({
    type: healthRef,
    nullable: false,
    description: 'Asks the REST API now whether it is reachable.',
    extensions: { resources: (): Resource[] => [{ kind: 'health' }], unpolled: true },
    resolve: (_, _args, { loaders }, info) => loaders.health(info),
  }),
);
