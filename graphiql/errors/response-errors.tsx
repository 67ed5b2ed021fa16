import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { codesIn } from './codes-in.ts';
import { ErrorMeaning } from './error-meaning.tsx';

/** Explains the error codes of the response, below it. */
export function ResponseErrors() {
  const responseEditor = useGraphiQL(({ responseEditor }) => responseEditor);
  const [codes, setCodes] = useState<string[]>([]);

  useEffect(() => {
    if (!responseEditor) return;
    const update = () => setCodes(codesIn(responseEditor.getValue()));
    update();
    const listener = responseEditor.onDidChangeModelContent(update);
    return () => listener.dispose();
  }, [responseEditor]);

  if (codes.length === 0) return null;
  return (
    <section className="portico-errors" aria-label="Error codes of the response">
      {codes.map((code) => (
        <ErrorMeaning key={code} code={code} />
      ))}
    </section>
  );
}
