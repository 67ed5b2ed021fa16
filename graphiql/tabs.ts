import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { lastRun } from './cost/report/report.ts';
import { lastOutcome } from './outcome/outcome.ts';

/** The last runs of the tabs that are not active, as GraphiQL keeps their responses. */
const runs = new Map<
  string,
  { run: ReturnType<typeof lastRun.get>; outcome: ReturnType<typeof lastOutcome.get> }
>();

/** Shows the last run of the active tab. A change of the tab ends the operation that runs in the last one. */
export function useRunOfTab(): void {
  const id = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  const { stop } = useGraphiQLActions();
  useEffect(() => {
    if (id === undefined) return;
    const { run, outcome } = runs.get(id) ?? {};
    lastRun.set(run);
    lastOutcome.set(outcome);
    return () => {
      // GraphiQL itself does not stop it for a new tab, and would write the response there.
      stop();
      runs.set(id, { run: lastRun.get(), outcome: lastOutcome.get() });
    };
  }, [id, stop]);
}

/**
 * GraphiQL gives the role of a tab to elements that contain buttons, which a screen reader does not present:
 * as a list, each operation and its close button can be reached. A tab without an operation has a name in words.
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
      const button = tab.querySelector('.graphiql-tab-button');
      button?.setAttribute('aria-current', `${index === activeTabIndex}`);
      if (button?.textContent === '<untitled>') button.textContent = 'New operation';
    }
  }, [tabs, activeTabIndex]);
}
