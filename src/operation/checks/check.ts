import type { ExecutionArgs } from 'graphql';
import type { Phase } from '../types.ts';

/** Refuses an operation before its first REST call, by throwing a GraphQLError. */
export type Check = (args: ExecutionArgs) => void;

/** A check that the variables of an operation decide, so that each execution has to pass it. */
export function operationCheck(check: Check): Phase {
  return {
    plugins: [{ onExecute: ({ args }: { args: ExecutionArgs }) => check(args) }],
    passesOperation(args) {
      try {
        check(args);
        return true;
      } catch {
        return false;
      }
    },
  };
}
