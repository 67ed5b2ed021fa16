import type { ExampleTab, PageOptions } from '../src/http/graphiql/page.ts';

/** What the gateway wrote into the page. */
export const options: PageOptions = JSON.parse(document.getElementById('options')?.textContent ?? '');

/** Where the gateway receives operations, also behind a path prefix. */
export const endpoint = new URL('graphql', document.baseURI).href;

/**
 * The tabs to open, and which of them is active. Tabs outlive a reload but not the browser tab: a new visit finds the
 * examples. A link may bring an operation of its own, as a GraphQL request over GET does.
 */
export function initialTabs(storage: Storage): { tabs: ExampleTab[]; active: ExampleTab | undefined } {
  const search = new URLSearchParams(location.search);
  const query = search.get('query');
  const linked = query === null ? [] : [{ query, variables: search.get('variables') ?? '' }];
  const tabs = [...linked, ...options.tabs];
  return { tabs, active: linked[0] ?? storedTab(storage) ?? tabs[0] };
}

/** Of GraphiQL's own record of its tabs, whose form another version may change. */
function storedTab(storage: Storage): ExampleTab | undefined {
  try {
    const stored = JSON.parse(storage.getItem('graphiql:tabState') ?? 'null');
    return stored?.tabs[stored.activeTabIndex];
  } catch {
    return undefined;
  }
}
