import { createSessionStore, type Store } from '../store.ts';

/** What the panel requests: nothing; the plan while typing; also the report of each executed operation. */
export const explainModes = ['off', 'plan', 'report'] as const;
export type ExplainMode = (typeof explainModes)[number];

const stored = createSessionStore('explain', 'report');

export const explainMode: Store<ExplainMode> = {
  ...stored,
  get: () => explainModes.find((mode) => mode === stored.get()) ?? 'report',
};
