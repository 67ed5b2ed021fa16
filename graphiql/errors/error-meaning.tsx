import { errorCodes } from './error-codes.ts';
import { piecesOf } from './parse-error-codes.ts';

/** An error code with its meaning and what to do, which a click opens. */
export function ErrorMeaning({ code }: { code: string }) {
  const entry = errorCodes.get(code);
  if (!entry) return null;
  return (
    <details className="portico-error">
      <summary>
        <code>{code}</code> What it means
      </summary>
      <p>
        <Line text={entry.when} />
      </p>
      <p>
        <strong>What to do:</strong> <Line text={entry.whatToDo} />
      </p>
    </details>
  );
}

function Line({ text }: { text: string }) {
  return piecesOf(text).map(({ text, isCode }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a constant text.
    isCode ? <code key={index}>{text}</code> : text,
  );
}
