import type { CoreConfig } from '../../config/core.ts';
import type { Extend, SchemaText } from '../../schema/index.ts';
import { subgraphSdl, withEntities } from './subgraph.ts';

export { federationConfig, federationSettings } from './settings.ts';

type FederationConfig = Pick<CoreConfig, 'introspection'> & { federation: boolean };

/** The gateway as a subgraph of Apollo Federation 2, if `FEDERATION` is on. */
export function federation({ federation, introspection }: FederationConfig): Extend[] {
  return federation ? [(schema) => withEntities(schema, { hasService: introspection !== 'off' })] : [];
}

export const federationText: SchemaText = {
  option: 'federation',
  help: 'as a gateway with FEDERATION=on serves it to routers',
  setting: { FEDERATION: 'on' },
  print: subgraphSdl,
};
