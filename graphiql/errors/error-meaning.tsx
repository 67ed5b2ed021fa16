import { errorCodes } from './error-codes.ts';
import { piecesOf } from './parse-error-codes.ts';

/** The messages that are shown of one code. */
const MAX_MESSAGES = 3;

/** An error code with its messages, its meaning and what to do, which a click opens. */
export function ErrorMeaning({ code, messages = [] }: { code: string; messages?: readonly string[] }) {
  const entry = errorCodes.get(code);
  if (!entry) return null;
  return (
    <details className="portico-error">
      <summary>
        <code>{code}</code> What it means
      </summary>
      {messages.slice(0, MAX_MESSAGES).map((message) => (
        <p key={message}>
          <strong>Here:</strong> {message}
        </p>
      ))}
      {messages.length > MAX_MESSAGES ? <p>and {messages.length - MAX_MESSAGES} more</p> : null}
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
