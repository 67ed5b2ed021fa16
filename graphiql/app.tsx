import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider, pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { Bar } from './bar/bar.tsx';
import { CopyMenu } from './copy/copy-menu.tsx';
import { costPlugin } from './cost/cost-plugin.tsx';
import { useHints, useMarks } from './cost/marks/marks.ts';
import { usePlanner } from './cost/plan/plan.ts';
import { LiveStatus } from './cost/report/live-status.tsx';
import { DeprecationBanner } from './deprecation/deprecation-banner.tsx';
import { ResponseErrors } from './errors/response-errors.tsx';
import { explorerPlugin } from './explorer/explorer-plugin.tsx';
import { useEditorFrames } from './keyboard/editor-frames.ts';
import { useEndOfLoading } from './loading.ts';
import { useAddress } from './operation/address.ts';
import { useCurrentTexts } from './operation/current-texts.ts';
import { initialTabs } from './options.ts';
import { OutcomeLine } from './outcome/outcome-line.tsx';
import { apiKey } from './request/api-key.ts';
import { fetcher } from './request/fetcher.ts';
import { ResponseBar } from './response/response-bar.tsx';
import { savedPlugin } from './saved/saved-plugin.tsx';
import { graphiqlStorage, storage } from './storage.ts';
import { useStore } from './store.ts';
import { writeNames } from './tab-names/names.ts';
import { RenameButton } from './tab-names/rename-button.tsx';
import { useFocusOfNewTab, useRunOfTab, useStoredEdits, useTabsAsList } from './tabs.ts';

/** Where the columns of the page are one, as in `style/phone.css`. */
const narrowScreen = matchMedia('(max-width: 900px)');

/** The time without an edit after which a key is complete. */
const KEY_TYPED_MS = 500;

const plugins = [DOC_EXPLORER_PLUGIN, HISTORY_PLUGIN, explorerPlugin, savedPlugin, costPlugin];
const { tabs, active } = initialTabs(storage);

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
      onTabChange={writeNames}
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
  useEndOfLoading();
  usePlanner();
  useRunOfTab();
  useTabsAsList();
  useFocusOfNewTab();
  useCurrentTexts();
  useStoredEdits();
  useAddress();
  useMarks();
  useHints();
  useSchemaOfKey();
  useLineWrapping();
  useEditorFrames();
  usePanelOrder();
  usePanelInView();
  return (
    // The class defines GraphiQL's colours and fonts.
    <div className="graphiql-container portico">
      <Bar />
      <DeprecationBanner />
      <main>
        {/* On a narrow screen they are folded: the response is to be in the first screen. */}
        <GraphiQLInterface defaultEditorToolsVisibility={narrowScreen.matches ? false : 'variables'}>
          {/* The bar has the logo: its place is beside the tabs. */}
          <GraphiQL.Logo>
            <RenameButton />
          </GraphiQL.Logo>
          <GraphiQL.Toolbar>
            {({ prettify, merge, copy }) => (
              <>
                {prettify}
                {merge}
                {copy}
                <CopyMenu />
                <OutcomeLine />
              </>
            )}
          </GraphiQL.Toolbar>
          <GraphiQL.Footer>
            <LiveStatus />
            <ResponseErrors />
            <ResponseBar />
          </GraphiQL.Footer>
        </GraphiQLInterface>
      </main>
    </div>
  );
}

/** A panel that a button of the side bar opens is in view: on a narrow screen the REST calls are below the response. */
function usePanelInView(): void {
  const panel = useGraphiQL(({ visiblePlugin }) => visiblePlugin);
  const last = useRef(panel);
  useEffect(() => {
    if (panel && panel !== last.current)
      document.querySelector('.graphiql-plugin')?.scrollIntoView({ block: 'nearest' });
    last.current = panel;
  }, [panel]);
}

/**
 * On a narrow screen the REST calls are below the response. The element moves, because the focus follows the order of
 * elements: with `order` it would pass the calls before the tabs, and with `reading-flow` twice in Chromium 156.
 */
function usePanelOrder(): void {
  const isCost = useGraphiQL(({ visiblePlugin }) => visiblePlugin === costPlugin);
  useLayoutEffect(() => {
    const place = () => {
      const panel = document.querySelector('.graphiql-plugin');
      const columns = panel?.parentElement;
      if (!panel || !columns) return;
      const focused = document.activeElement;
      if (isCost && narrowScreen.matches) columns.append(panel);
      else if (columns.firstChild !== panel) columns.prepend(panel);
      // An element that moves loses the focus.
      if (panel.contains(focused) && focused instanceof HTMLElement) focused.focus();
    };
    place();
    narrowScreen.addEventListener('change', place);
    return () => narrowScreen.removeEventListener('change', place);
  }, [isCost]);
}

/** Reads the schema again with another key, where it could not be read with the last one. */
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

/** Lines that are wider than their editor continue below: the editors are narrow beside the panels. */
function useLineWrapping(): void {
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor]) editor?.updateOptions({ wordWrap: 'on' });
  }, [queryEditor, variableEditor]);
}
