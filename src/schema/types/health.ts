import type { Health } from '../../upstream/resources.ts';
import { builder } from '../builder.ts';
import type { Resource } from '../resources.ts';

const healthRef = builder.objectRef<Health>('Health').implement({
  description: 'What one call to the health endpoint of the REST API found out.',
  fields: (t) => ({
    reachable: t.exposeBoolean('reachable', {
      nullable: false,
      description: 'Whether the REST API answered with a status from 200 to 299.',
    }),
    statusCode: t.exposeInt('statusCode', {
      description: 'The HTTP status of the answer; null when no complete answer came.',
    }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: false,
      description: 'How long the call took, in milliseconds.',
    }),
    body: t.expose('body', {
      type: 'JSON',
      nullable: true,
      description: 'The answer, where it is JSON. The REST document does not show its shape.',
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: healthRef,
    nullable: false,
    description: 'Asks the REST API now whether it is reachable.',
    extensions: { resources: (): Resource[] => [{ kind: 'health' }] },
    resolve: (_, _args, { loaders }, info) => loaders.health(info),
  }),
);
