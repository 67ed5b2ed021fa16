import type { PageOptions } from '../src/features/graphiql/page.ts';
import { type ExampleTab, exampleTabs } from './examples.ts';

/** The options that the gateway wrote into the page. */
export const options: PageOptions = JSON.parse(document.getElementById('options')?.textContent ?? '');

/** The URL of operations, also behind a path prefix. */
export const endpoint = new URL('graphql', document.baseURI).href;

/**
 * The tabs to open, and which of them is active. Tabs outlive a reload but not the browser tab: a new visit
 * finds the examples. A link brings an operation of its own, beside the tabs of this browser tab, and not again by a
 * reload or a return, which keep the edits.
 */
export function initialTabs(): { tabs: ExampleTab[]; active: ExampleTab | undefined } {
  const stored = storedTab();
  const search = new URLSearchParams(location.search);
  const query = search.get('query');
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isOpened = stored !== undefined && navigation?.type !== 'navigate';
  if (query !== null && !isOpened) {
    const linked = { query, variables: search.get('variables') ?? '' };
    return { tabs: [linked], active: linked };
  }
  const tabs = exampleTabs(options);
  return { tabs, active: stored ?? tabs[0] };
}

/** The active tab of GraphiQL's own record, whose form another version may change. */
function storedTab(): ExampleTab | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem('graphiql:tabState') ?? 'null');
    return stored?.tabs[stored.activeTabIndex];
  } catch {
    return undefined;
  }
}

/** The storage of GraphiQL, whose history would keep the headers of each operation. */
export const graphiqlStorage = {
  get length() {
    return sessionStorage.length;
  },
  getItem: (name: string) => sessionStorage.getItem(name),
  setItem: (name: string, text: string) =>
    sessionStorage.setItem(name, /^graphiql:(queries|favorites)$/.test(name) ? withoutHeaders(text) : text),
  removeItem: (name: string) => sessionStorage.removeItem(name),
  clear: () => sessionStorage.clear(),
};

function withoutHeaders(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value) => (name === 'headers' ? undefined : value));
}
