import type { ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Refuses an operation before it costs a call, by throwing a GraphQLError. */
export type Check = (args: ExecutionArgs) => void;

export function useCheck(check: Check): Plugin {
  return { onExecute: ({ args }) => check(args) };
}
