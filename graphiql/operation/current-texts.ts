import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { getSelectedOperationName } from '@graphiql/toolkit';
import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { useEffect } from 'react';

/**
 * Reads the editors before a click or a shortcut. GraphiQL does so 100 ms after an edit or a change of the tab: until then
 * a change of the tab would lose the edit, and Merge write the operation of an earlier text, or of another tab.
 */
export function useCurrentTexts(): void {
  const { tabs, activeTabIndex, documentAST, operations, operationName } = useGraphiQL(
    pick('tabs', 'activeTabIndex', 'documentAST', 'operations', 'operationName'),
  );
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor'),
  );
  const { setOperationFacts, updateActiveTabValues } = useGraphiQLActions();
  const id = tabs[activeTabIndex]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab has its own operations, and one of them selected.
  useEffect(() => {
    const selected = tabs[activeTabIndex]?.operationName;
    if (queryEditor) setOperationFacts(factsOf(queryEditor.getValue(), undefined, selected));
  }, [id, queryEditor]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: actions are the same for ever.
  useEffect(() => {
    if (!queryEditor || !variableEditor || !headerEditor) return;
    const read = (event: MouseEvent | KeyboardEvent) => {
      if (event.type === 'keydown' && !event.ctrlKey && !event.metaKey) return;
      const tab = tabs[activeTabIndex];
      const query = queryEditor.getValue();
      const variables = variableEditor.getValue();
      const headers = headerEditor.getValue();
      const facts =
        query === documentAST?.loc?.source.body ? undefined : factsOf(query, operations, operationName);
      if (facts) setOperationFacts(facts);
      if (
        query !== (tab?.query ?? '') ||
        variables !== (tab?.variables ?? '') ||
        headers !== (tab?.headers ?? '')
      )
        updateActiveTabValues({
          query,
          variables,
          headers,
          operationName: (facts ? facts.operationName : operationName) ?? null,
        });
    };
    addEventListener('click', read, { capture: true });
    addEventListener('keydown', read, { capture: true });
    return () => {
      removeEventListener('click', read, { capture: true });
      removeEventListener('keydown', read, { capture: true });
    };
  }, [
    tabs,
    activeTabIndex,
    documentAST,
    operations,
    operationName,
    queryEditor,
    variableEditor,
    headerEditor,
  ]);
}

type OperationFacts = Parameters<ReturnType<typeof useGraphiQLActions>['setOperationFacts']>[0];

/** What GraphiQL knows of a text: nothing of one that does not parse; else which operation is selected, as before it. */
function factsOf(
  query: string,
  last: OperationFacts['operations'],
  selected: string | null | undefined,
): OperationFacts {
  try {
    const documentAST = parse(query);
    const operations = documentAST.definitions.filter(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    );
    const operationName = getSelectedOperationName(last, selected ?? undefined, operations);
    return { documentAST, operations, ...(operationName !== undefined && { operationName }) };
  } catch {
    return {};
  }
}
