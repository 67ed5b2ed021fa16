import type { Config } from '../../config.ts';
import type { Extend, SchemaText } from '../../schema/sdl.ts';
import { subgraphSdl, withEntities } from './subgraph.ts';

/** The gateway as a subgraph of Apollo Federation 2; null where it is none. */
export function federation(config: Pick<Config, 'federation' | 'introspection'>): Extend | null {
  if (!config.federation) return null;
  return (schema) => withEntities(schema, { hasService: config.introspection !== 'off' });
}

/** The schema as a router reads it. */
export const federationText: SchemaText = {
  option: 'federation',
  help: 'as a gateway with FEDERATION=on serves it to routers',
  print: subgraphSdl,
};
