import { useState } from 'react';
import { Button } from '../button.tsx';
import { writeToClipboard } from '../copy/clipboard.ts';
import { useKeyCheck } from '../operation/edited.ts';
import { lastOutcome } from '../outcome/outcome.ts';
import { useStore } from '../store.ts';
import { type HeaderField, requestIdIn } from './header-fields.ts';
import { useResponseText } from './response-text.ts';

/** Below the response: copies it, searches in it, and shows the header fields that came with it. */
export function ResponseBar() {
  const { text, responseEditor } = useResponseText();
  const fields = useStore(lastOutcome)?.fields ?? [];
  const hasKey = useKeyCheck();
  const [areFieldsShown, setFieldsShown] = useState(false);
  const [note, setNote] = useState<{ text: string; of: string }>();
  const requestId = requestIdIn(fields);

  async function copy(copied: string, name: string) {
    if (hasKey(copied)) return setNote({ text: `Not copied: the ${name} contains the key.`, of: text });
    const isCopied = await writeToClipboard(copied);
    setNote({
      text: isCopied ? `Copied the ${name}.` : `The browser does not permit it: select the ${name}.`,
      of: text,
    });
  }

  function search() {
    // The command of the editor opens the search of the one that has the focus.
    responseEditor?.focus();
    responseEditor?.trigger('portico', 'actions.find', null);
  }

  if (text === '' && fields.length === 0) return null;
  return (
    <section className="portico-response-bar" aria-label="Tools of the response">
      <Button aria-label="Copy response" onClick={() => void copy(text, 'response')}>
        Copy
      </Button>
      <Button aria-label="Search response" onClick={search}>
        Search
      </Button>
      {fields.length > 0 ? (
        <Button aria-expanded={areFieldsShown} onClick={() => setFieldsShown(!areFieldsShown)}>
          Header fields <span aria-hidden="true">{areFieldsShown ? '▴' : '▾'}</span>
        </Button>
      ) : null}
      {requestId === undefined ? null : (
        <Button
          className="portico-button portico-request-id"
          aria-label={`Copy x-request-id ${requestId}`}
          title="Copy x-request-id, by which the log of the gateway has this request"
          onClick={() => void copy(requestId, 'x-request-id')}
        >
          <code>{requestId}</code>
        </Button>
      )}
      {/* A note is of the response that it was made for. */}
      <span className="portico-copy-status portico-note" role="status">
        {note?.of === text ? note.text : null}
      </span>
      {areFieldsShown && fields.length > 0 ? <HeaderFields fields={fields} /> : null}
    </section>
  );
}

function HeaderFields({ fields }: { fields: readonly HeaderField[] }) {
  return (
    <dl className="portico-header-fields">
      {fields.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <em>not shown: it may be a secret</em>}</dd>
        </div>
      ))}
    </dl>
  );
}
