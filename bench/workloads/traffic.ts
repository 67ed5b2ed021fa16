import type { Traffic } from '../load/send.ts';
import { createValidator } from '../load/validator.ts';
import { type Operation, renamed } from './operations.ts';
import type { Workload, WorkloadId } from './workloads.ts';

const made = new Map<WorkloadId, Operation[]>();

/** The operations of a workload, made once for all contenders. */
function operationsOf({ id, count, operation }: Workload): Operation[] {
  const known = made.get(id) ?? Array.from({ length: count }, (_, nth) => operation(nth));
  made.set(id, known);
  return known;
}

/**
 * The requests of a workload, and the validation of their responses. Each connection has operations of its own, which it
 * sends one after the other and from the start again.
 */
export function createTraffic(workload: Workload, connections: number): Traffic {
  const operations = operationsOf(workload);
  if (operations.length < connections) throw new Error(`${workload.id} has too few operations`);
  const positions = Array.from({ length: connections }, (_, connection) => connection);
  let sent = 0;
  return {
    next(connection) {
      const position = positions[connection] ?? 0;
      const next = position + connections;
      positions[connection] = next < operations.length ? next : connection;
      const [first] = operations;
      const operation = operations[position] ?? first;
      if (!operation) throw new Error(`${workload.id} has no operations`);
      sent += 1;
      return workload.isUnseen ? renamed(operation, sent) : operation;
    },
    validate: createValidator(),
  };
}
