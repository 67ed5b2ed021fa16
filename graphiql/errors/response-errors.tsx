import { useMemo } from 'react';
import { useResponseText } from '../response/response-text.ts';
import { ErrorMeaning } from './error-meaning.tsx';
import { messagesByCode } from './messages-by-code.ts';

/** Explains the error codes of the response, below it. */
export function ResponseErrors() {
  const { text } = useResponseText();
  const messages = useMemo(() => messagesByCode(text), [text]);
  if (messages.size === 0) return null;
  return (
    <section className="portico-errors" aria-label="Error codes of the response">
      {[...messages].map(([code, ofCode]) => (
        <ErrorMeaning key={code} code={code} messages={ofCode} />
      ))}
    </section>
  );
}
