import type { PageOptions } from '../src/http/graphiql-page.ts';
import { type ExampleTab, exampleTabs } from './examples.ts';

/** What the gateway wrote into the page. */
export const options: PageOptions = JSON.parse(document.getElementById('options')?.textContent ?? '');

/** Where the gateway receives operations, also behind a path prefix. */
export const endpoint = new URL('graphql', document.baseURI).href;

/** GraphiQL's own record of its tabs, whose form another version may change. */
export const tabStateKey = 'graphiql:tabState';

/**
 * The tabs to open, and which of them is active. Tabs outlive a reload but not the browser tab: a new visit
 * finds the examples. A link may bring an operation of its own, as a GraphQL request over GET does. It is
 * opened by a navigation to it, and not again by a reload or a return, which keep the edits.
 */
export function initialTabs(storage: Storage): { tabs: ExampleTab[]; active: ExampleTab | undefined } {
  const stored = storedTab(storage);
  const search = new URLSearchParams(location.search);
  const query = search.get('query');
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isOpened = stored !== undefined && navigation?.type !== 'navigate';
  const linked = query === null || isOpened ? [] : [{ query, variables: search.get('variables') ?? '' }];
  const tabs = [...linked, ...exampleTabs(options)];
  return { tabs, active: linked[0] ?? stored ?? tabs[0] };
}

function storedTab(storage: Storage): ExampleTab | undefined {
  try {
    const stored = JSON.parse(storage.getItem(tabStateKey) ?? 'null');
    return stored?.tabs[stored.activeTabIndex];
  } catch {
    return undefined;
  }
}
