import { setFlagsFromString } from 'node:v8';

/** The V8 flags of a server; exported for a test. */
export const heapFlags = [
  // Pretenuring allocates the short-lived objects of requests in old space (docs/decisions/18-calls-die-young.md).
  '--no-allocation-site-pretenuring',
  // The collections of an idle process discard its compiled code (docs/decisions/22-idle-keeps-its-code.md).
  `--gc-memory-reducer-start-delay-ms=${2 ** 31 - 1}`,
];

/** Configures V8's heap for a server. V8 reads some of the flags only until it plans its first collection. */
export function configureHeap(): void {
  for (const flag of heapFlags) setFlagsFromString(flag);
}
