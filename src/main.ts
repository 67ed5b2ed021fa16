import { configureHeap } from './heap.ts';

// Before the program is loaded, because V8 plans its first collection meanwhile.
configureHeap();
await import('./program.ts');
