import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { shareUrl } from '../bar/share-url.ts';
import { exampleTabs } from '../examples.ts';
import { endpoint, options } from '../options.ts';
import { apiKey } from '../request/api-key.ts';
import { useStore } from '../store.ts';
import { useEditedOperation, useKeyCheck } from './edited.ts';

/** Browsers permit some hundred changes of the address in half a minute. */
const DELAY_MS = 300;

const [firstExample] = exampleTabs(options);

/**
 * The address is a link to the operation in the editors, without an entry of its own in the history. It has
 * none where the text contains the key, is too long, or is what the page opens with.
 */
export function useAddress(): void {
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor'),
  );
  const read = useEditedOperation();
  const hasKey = useKeyCheck();
  const key = useStore(apiKey);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a key that is entered later may be in the text.
  useEffect(() => {
    if (!queryEditor || !variableEditor) return;
    const update = () => {
      const { query, variables } = read();
      const isBare =
        hasKey(query, variables) ||
        query.trim() === '' ||
        (query === firstExample?.query && variables === firstExample.variables);
      const url = (isBare ? undefined : shareUrl(endpoint, query, variables)) ?? endpoint;
      if (url !== location.href) history.replaceState(history.state, '', url);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const updateLater = () => {
      clearTimeout(timer);
      timer = setTimeout(update, DELAY_MS);
    };
    update();
    // The headers are not in the address, but may have the key that must not be in it.
    const editors = [queryEditor, variableEditor, headerEditor];
    const listeners = editors.flatMap((editor) => editor?.onDidChangeModelContent(updateLater) ?? []);
    return () => {
      clearTimeout(timer);
      for (const listener of listeners) listener.dispose();
    };
  }, [queryEditor, variableEditor, headerEditor, read, hasKey, key]);
}
