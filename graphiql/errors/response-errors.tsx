import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { keyProblem } from '../request/api-key.ts';
import { useStore } from '../store.ts';
import { codesIn } from './error-codes.ts';
import { ErrorMeaning } from './error-meaning.tsx';

/** Explains the error codes of the response. A rejected key is explained at its field. */
export function ResponseErrors() {
  const responseEditor = useGraphiQL(({ responseEditor }) => responseEditor);
  const isKeyRejected = useStore(keyProblem) !== undefined;
  const [codes, setCodes] = useState<string[]>([]);
  useEffect(() => {
    if (!responseEditor) return;
    const listener = responseEditor.onDidChangeModelContent(() =>
      setCodes(keyProblem.get() ? [] : codesIn(responseEditor.getValue())),
    );
    return () => listener.dispose();
  }, [responseEditor]);
  if (codes.length === 0 || isKeyRejected) return null;
  return (
    <section className="portico-errors" aria-label="Error codes of the response">
      {codes.map((code) => (
        <ErrorMeaning key={code} code={code} />
      ))}
    </section>
  );
}
