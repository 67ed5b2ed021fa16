/** What is remembered until the tab is closed. A browser may permit no storage; then nothing is. */
const nameOf = (key: string) => `portico-dashboard.${key}`;

export function recall(key: string): string | undefined {
  try {
    return sessionStorage.getItem(nameOf(key)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. */
export function remember(key: string, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(nameOf(key));
    else sessionStorage.setItem(nameOf(key), value);
  } catch {
    // The next page asks the gateway again.
  }
}
