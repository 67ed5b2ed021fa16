import { setFlagsFromString } from 'node:v8';

// Pretenuring allocates the short-lived objects of requests in old space (docs/decisions/18-calls-die-young.md).
setFlagsFromString('--no-allocation-site-pretenuring');
// The collections of an idle process discard its compiled code (docs/decisions/22-node-and-v8.md).
setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${2 ** 31 - 1}`);

// The program is loaded only now, because V8 reads some of the flags for the last time when it plans its first collection.
await import('./command/program.ts');
