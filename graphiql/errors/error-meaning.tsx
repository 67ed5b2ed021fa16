import page from '../../docs/errors.md';
import { parseErrorCodes } from './error-codes.ts';

const errorCodes = parseErrorCodes(page);

/** An error code, its meaning and what to do, which a click opens. */
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

/** A line of Markdown: what is between backticks as code, and links as their text. */
function Line({ text }: { text: string }) {
  const pieces = text.replace(/\[([^[\]]+)\]\([^()]+\)/g, '$1').split('`');
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a constant text.
  return pieces.map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
