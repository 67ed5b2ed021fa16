import { type CoreValues, isProduction } from '../../config/core.ts';
import type { Values } from '../../config/declaration.ts';
import { oneOf } from '../../config/kinds.ts';

export const graphiqlSettings = {
  GRAPHIQL: oneOf('on', 'off').describe('GraphiQL at `/graphql`; unset: `on`, in production `off`'),
};

export function graphiqlConfig(values: Values<typeof graphiqlSettings> & Pick<CoreValues, 'NODE_ENV'>) {
  return { graphiql: (values.GRAPHIQL ?? (isProduction(values) ? 'off' : 'on')) === 'on' };
}
