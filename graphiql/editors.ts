import { pick, useGraphiQL } from '@graphiql/react';
import { useCallback, useEffect } from 'react';

/** How a screen reader names the editors, and what an empty one shows. */
const options = {
  queryEditor: { ariaLabel: 'Operation' },
  variableEditor: { ariaLabel: 'Variables' },
  headerEditor: { ariaLabel: 'Headers' },
  responseEditor: { ariaLabel: 'Response', placeholder: 'The response comes here.' },
} as const;

/** Sets the editors up: Tab moves the focus on, and lines that are too wide continue below. */
export function useEditorOptions(): void {
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor', 'responseEditor'));
  const { queryEditor, variableEditor, headerEditor, responseEditor } = editors;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each editor, and not the object with them.
  useEffect(() => {
    for (const [property, own] of Object.entries(options)) {
      const editor = editors[property as keyof typeof options];
      editor?.updateOptions({ ...own, tabIndex: 0, wordWrap: 'on' });
      // GraphiQL has the focus stop at the frame of an editor, whose text takes it by Enter.
      editor?.getContainerDomNode().setAttribute('tabindex', '-1');
    }
  }, [queryEditor, variableEditor, headerEditor, responseEditor]);
  // The mode is one for all editors, which Ctrl + M changes.
  useEffect(() => queryEditor?.trigger('portico', 'editor.action.toggleTabFocusMode', null), [queryEditor]);
}

/** Returns what reads the texts of the editors. */
export function useEditedTexts(): () => { query: string; variables: string; headers: string } {
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor'),
  );
  return useCallback(
    () => ({
      query: queryEditor?.getValue() ?? '',
      variables: variableEditor?.getValue() ?? '',
      headers: headerEditor?.getValue() ?? '',
    }),
    [queryEditor, variableEditor, headerEditor],
  );
}
