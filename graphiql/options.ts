import type { PageOptions } from '../src/features/graphiql/page.ts';
import { type ExampleTab, exampleTabs } from './examples.ts';

/** What the gateway wrote into the page. */
export const options: PageOptions = JSON.parse(document.getElementById('options')?.textContent ?? '');

/** Where the gateway receives operations, also behind a path prefix. */
export const endpoint = new URL('graphql', document.baseURI).href;

/** GraphiQL's own record of its tabs, whose form another version may change. */
export const tabStateKey = 'graphiql:tabState';

/**
 * The tabs to open, and which of them is active. Tabs outlive a reload but not the browser tab: a new visit
 * finds the examples. A link brings an operation of its own, as a GraphQL request over GET does, and then
 * there are no examples. It is opened by a navigation to it, beside the tabs of this browser tab, and not
 * again by a reload or a return, which keep the edits.
 */
export function initialTabs(storage: Storage): { tabs: ExampleTab[]; active: ExampleTab | undefined } {
  const stored = storedTab(storage);
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

function storedTab(storage: Storage): ExampleTab | undefined {
  try {
    const stored = JSON.parse(storage.getItem(tabStateKey) ?? 'null');
    return stored?.tabs[stored.activeTabIndex];
  } catch {
    return undefined;
  }
}
