import type { Values } from '../../config/declaration.ts';
import { oneOf } from '../../config/kinds.ts';

export const federationSettings = {
  FEDERATION: oneOf('on', 'off').describe(
    '`on` makes the gateway a subgraph of Apollo Federation 2, for routers: `_entities` and `_service`',
  ),
};

export function federationConfig(values: Values<typeof federationSettings>) {
  return { federation: values.FEDERATION === 'on' };
}
