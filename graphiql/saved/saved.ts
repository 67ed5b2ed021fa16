import { createStore } from '../store.ts';

/** An operation that this browser keeps: neither a key nor another header is in it. */
export interface SavedOperation {
  name: string;
  query: string;
  /** Only where the user wants them kept. */
  variables?: string | undefined;
}

const storageKey = 'portico:saved-operations';
const MAX_OPERATIONS = 100;
const MAX_NAME_LENGTH = 80;

export const savedOperations = createStore<readonly SavedOperation[]>(readOperations());

// Another page of this browser has changed them.
globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === storageKey || key === null) savedOperations.set(readOperations());
});

/** Keeps an operation, in place of one of the same name. Returns why it cannot, or undefined. */
export function saveOperation({ name, query, variables }: SavedOperation): string | undefined {
  const saved: SavedOperation = { name: name.slice(0, MAX_NAME_LENGTH), query, variables };
  const others = readOperations().filter((other) => other.name !== saved.name);
  if (others.length >= MAX_OPERATIONS) return `There are ${MAX_OPERATIONS} saved operations: delete one.`;
  return write([...others, saved]);
}

export function deleteOperation(name: string): string | undefined {
  return write(readOperations().filter((other) => other.name !== name));
}

function write(operations: readonly SavedOperation[]): string | undefined {
  try {
    localStorage.setItem(storageKey, JSON.stringify(operations));
  } catch {
    return 'This browser keeps nothing more for this page.';
  }
  savedOperations.set(operations);
  return undefined;
}

function readOperations(): SavedOperation[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isOperation) : [];
  } catch {
    return [];
  }
}

function isOperation(value: Partial<SavedOperation> | null): value is SavedOperation {
  return (
    typeof value?.name === 'string' &&
    typeof value.query === 'string' &&
    ['string', 'undefined'].includes(typeof value.variables)
  );
}
