import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';

/** The text in the response pane, as it changes. */
export function useResponseText() {
  const responseEditor = useGraphiQL(({ responseEditor }) => responseEditor);
  const [text, setText] = useState('');
  useEffect(() => {
    if (!responseEditor) return;
    const update = () => setText(responseEditor.getValue());
    update();
    const listener = responseEditor.onDidChangeModelContent(update);
    return () => listener.dispose();
  }, [responseEditor]);
  return { text, responseEditor };
}
