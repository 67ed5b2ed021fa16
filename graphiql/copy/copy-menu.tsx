import { DropdownMenu, ToolbarMenu, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import { Kind, parse } from 'graphql';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { useEditedTexts } from '../editors.ts';
import { endpoint } from '../options.ts';
import { apiKey, keyIn } from '../request/api-key.ts';
import { isLive } from '../request/live.ts';
import { operationNameIn } from '../request/operation-name.ts';
import { curlFrom, linkFrom, moduleFrom } from './request.ts';

type Edited = ReturnType<ReturnType<typeof useEditedTexts>>;
type Texts = Edited & { operationName: string | undefined };

/** Each throws an Error that says why an operation has no such copy. */
const copies: Record<string, (texts: Texts) => string> = {
  Link: ({ query, variables }) => linkFrom(endpoint, query, variables),
  cURL: (texts) => curlFrom(requestOf(texts)),
  fetch: (texts) => moduleFrom(requestOf(texts)),
};

/** Copies the operation without the key, and shows the copy: browsers permit copying only over TLS or locally. */
export function CopyMenu() {
  const read = useEditedTexts();
  const operationName = useGraphiQL(({ operationName }) => operationName);
  const [shown, setShown] = useState<{ note: string; text?: string }>();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (shown) dialog.current?.showModal();
  }, [shown]);

  async function copy(name: string, textOf: (texts: Texts) => string) {
    const texts = read();
    try {
      const text = textOf({ ...texts, operationName: operationNameIn(texts.query, operationName) });
      if (hasKey(texts)) return setShown({ note: 'Not copied: the operation contains the key.' });
      const isCopied = await navigator.clipboard?.writeText(text).then(
        () => true,
        () => false,
      );
      const hint = name === 'Link' ? '' : ' Set PORTICO_API_KEY first.';
      setShown({ note: `${name} ${isCopied ? 'copied' : 'to copy'}, without the key.${hint}`, text });
    } catch (error) {
      setShown({ note: `Not copied. ${error instanceof Error ? error.message : error}` });
    }
  }

  return (
    <>
      <ToolbarMenu
        // Otherwise the rest of the page is hidden from screen readers, with what has the focus.
        modal={false}
        button={
          <DropdownMenu.Button className="portico-button">
            Share <span aria-hidden="true">▾</span>
          </DropdownMenu.Button>
        }
      >
        {Object.entries(copies).map(([name, textOf]) => (
          <ToolbarMenu.Item key={name} onSelect={() => void copy(name, textOf)}>
            {name}
          </ToolbarMenu.Item>
        ))}
      </ToolbarMenu>
      <dialog ref={dialog} className="portico-copied" aria-label="Copy" onClose={() => setShown(undefined)}>
        <p role="status">{shown?.note}</p>
        {shown?.text === undefined ? null : (
          <textarea readOnly rows={8} aria-label="Copied text" value={shown.text} />
        )}
        <Button onClick={() => dialog.current?.close()}>Close</Button>
      </dialog>
    </>
  );
}

function requestOf({ query, variables, operationName }: Texts) {
  const operations = parse(query).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return {
    url: endpoint,
    query,
    variables: tryParseJSONC(variables),
    operationName: operations.length > 1 ? operationName : undefined,
    isLive: isLive({ query, operationName: operationName ?? null }),
  };
}

/** True if the texts of an operation contain the key of the field or of the headers. */
function hasKey({ query, variables, headers }: Edited): boolean {
  const keys = [apiKey.get(), String(keyIn((tryParseJSONC(headers) ?? {}) as Record<string, string>) ?? '')];
  return keys.some((key) => key !== '' && (query.includes(key) || variables.includes(key)));
}
