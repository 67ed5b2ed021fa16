import type { Given } from '../../command/command.ts';

export interface CheckArguments {
  /** Resources that the key can read; empty: none. */
  ids: Record<'site' | 'conversation', string>;
  isJson: boolean;
}

export function argumentsFrom({ options }: Given): CheckArguments {
  const ids = { site: options.get('site') ?? '', conversation: options.get('conversation') ?? '' };
  return { ids, isJson: options.has('json') };
}
