import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/**
 * GraphiQL gives the role of a tab to elements that contain buttons, which a screen reader does not present: as a list, each
 * operation and its close button can be reached.
 */
export function useTabsAsList(): void {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  // biome-ignore lint/correctness/useExhaustiveDependencies: GraphiQL renders new elements and attributes with both.
  useEffect(() => {
    document.querySelector('.graphiql-tabs')?.setAttribute('role', 'list');
    document.querySelector('#graphiql-session')?.setAttribute('role', 'region');
    for (const [index, tab] of document.querySelectorAll('.graphiql-tab').entries()) {
      tab.removeAttribute('aria-selected');
      tab.setAttribute('role', 'listitem');
      tab.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', `${index === activeTabIndex}`);
    }
  }, [tabs, activeTabIndex]);
}
