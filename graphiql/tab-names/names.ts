/** A tab of GraphiQL: it keeps and stores what else a tab has, and derives the title from the operation at each edit. */
export interface NamedTab {
  title: string;
  operationName: string | null;
  /** Given by the user. */
  name?: unknown;
}

export const MAX_NAME_LENGTH = 40;

/** The name that the user gave to a tab, and undefined for one that has the name of its operation. */
export function nameOfTab(tab: NamedTab | undefined): string | undefined {
  const name = tab?.name;
  return typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_LENGTH) : undefined;
}

/** Writes the names into the titles of a new state of the tabs, before GraphiQL shows it. */
export function writeNames({ tabs }: { tabs: NamedTab[] }): void {
  for (const tab of tabs) tab.title = nameOfTab(tab) ?? tab.title;
}
