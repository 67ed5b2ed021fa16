import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { useEffect, useRef } from 'react';
import { Bar } from './bar/bar.tsx';
import { CopyMenu } from './copy/copy-menu.tsx';
import { costPlugin } from './cost/cost-plugin.tsx';
import { useHints, useMarks } from './cost/marks/marks.ts';
import { usePlanner } from './cost/plan/plan.ts';
import { LiveStatus } from './cost/report/live-status.tsx';
import { DeprecationBanner } from './deprecation/deprecation-banner.tsx';
import { useEditorOptions } from './editors.ts';
import { ResponseErrors } from './errors/response-errors.tsx';
import { EXPLORER_PLUGIN } from './explorer.tsx';
import { graphiqlStorage, initialTabs } from './options.ts';
import { OutcomeLine } from './outcome/outcome-line.tsx';
import { apiKey } from './request/api-key.ts';
import { fetcher } from './request/fetcher.ts';
import { useStore } from './store.ts';
import { useRunOfTab, useTabsAsList } from './tabs.ts';

/** True if the page has one column, as in `style/phone.css`. */
const isNarrow = matchMedia('(max-width: 900px)').matches;

/** The time without an edit after which a key is complete. */
const KEY_TYPED_MS = 500;

const plugins = [DOC_EXPLORER_PLUGIN, HISTORY_PLUGIN, EXPLORER_PLUGIN, costPlugin];
const { tabs, active } = initialTabs();

/** GraphiQL with a key field, the costs of the operation, and the meaning of error codes. */
export function App() {
  return (
    <GraphiQLProvider
      fetcher={fetcher}
      plugins={plugins}
      referencePlugin={DOC_EXPLORER_PLUGIN}
      visiblePlugin={costPlugin}
      storage={graphiqlStorage}
      defaultTabs={[...tabs]}
      // GraphiQL fills its editors from these rather than from the active tab.
      initialQuery={active?.query ?? ''}
      initialVariables={active?.variables ?? ''}
    >
      <HistoryStore>
        <DocExplorerStore>
          <Page />
        </DocExplorerStore>
      </HistoryStore>
    </GraphiQLProvider>
  );
}

function Page() {
  usePlanner();
  useRunOfTab();
  useTabsAsList();
  useMarks();
  useHints();
  useSchemaOfKey();
  useEditorOptions();
  useSortedDocs();
  return (
    // The class defines GraphiQL's colours and fonts.
    <div className="graphiql-container portico">
      <SkipLink />
      <Bar />
      <DeprecationBanner />
      <main>
        {/* On a narrow screen they are folded: the response is to be in the first screen. */}
        <GraphiQLInterface defaultEditorToolsVisibility={isNarrow ? false : 'variables'}>
          {/* The bar has the logo. */}
          <GraphiQL.Logo> </GraphiQL.Logo>
          <GraphiQL.Toolbar>
            {({ prettify, merge, copy }) => (
              <>
                {prettify}
                {merge}
                {copy}
                <CopyMenu />
              </>
            )}
          </GraphiQL.Toolbar>
          <GraphiQL.Footer>
            <OutcomeLine />
            <LiveStatus />
            <ResponseErrors />
          </GraphiQL.Footer>
        </GraphiQLInterface>
      </main>
    </div>
  );
}

/** The first stop of the keyboard: the editor is behind the bar, the sidebar and the tabs. */
function SkipLink() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  return (
    <button type="button" className="portico-skip portico-button" onClick={() => queryEditor?.focus()}>
      Skip to the operation
    </button>
  );
}

/** Docs list the types in the order of this map, which is that of the first mention. */
function useSortedDocs(): void {
  const types = useGraphiQL(({ schema }) => schema?.getTypeMap());
  useEffect(() => {
    if (!types) return;
    for (const name of Object.keys(types).toSorted()) {
      const type = types[name];
      delete types[name];
      if (type) types[name] = type;
    }
  }, [types]);
}

/** Reads the schema again with another key, if it could not be read with the last one. */
function useSchemaOfKey(): void {
  const key = useStore(apiKey);
  const { introspect } = useGraphiQLActions();
  const isMissing = useGraphiQL(({ schema, isIntrospecting }) => !schema && !isIntrospecting);
  const last = useRef(key);
  useEffect(() => {
    if (last.current === key || !isMissing) return;
    const timer = setTimeout(() => {
      last.current = key;
      void introspect();
    }, KEY_TYPED_MS);
    return () => clearTimeout(timer);
  }, [key, isMissing, introspect]);
}
