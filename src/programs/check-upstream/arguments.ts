import type { Given } from '../../command/command.ts';

export type CheckArguments = ReturnType<typeof argumentsFrom>;

export const argumentsFrom = ({ options }: Given) => ({
  /** Resources that the key can read; empty: none. */
  ids: { site: options.get('site') ?? '', conversation: options.get('conversation') ?? '' },
  isJson: options.has('json'),
});
