import { DropdownMenu, ToolbarMenu } from '@graphiql/react';
import { useCallback, useRef, useState } from 'react';
import { useEditedHeaders, useEditedOperation, useKeyCheck } from '../operation/edited.ts';
import { endpoint } from '../options.ts';
import { type Copied, CopiedText, copyText } from './copied-text.tsx';
import { copies } from './copies.ts';

/** Copies the operation as code, which takes the key from elsewhere. */
export function CopyMenu() {
  const read = useEditedOperation();
  const readHeaders = useEditedHeaders();
  const hasKey = useKeyCheck();
  const [shown, setShown] = useState<Copied>();
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setShown(undefined), []);

  async function copy({ name, textOf }: (typeof copies)[number]) {
    try {
      const text = textOf({ ...read(), headers: readHeaders() }, endpoint);
      setShown(
        hasKey(text) ? { note: 'Not copied: the operation contains the key.' } : await copyText(text, name),
      );
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
          <DropdownMenu.Button ref={button} className="portico-button">
            Copy as <span aria-hidden="true">▾</span>
          </DropdownMenu.Button>
        }
      >
        {copies.map((choice) => (
          <ToolbarMenu.Item key={choice.name} onSelect={() => void copy(choice)}>
            {choice.name}
          </ToolbarMenu.Item>
        ))}
      </ToolbarMenu>
      <CopiedText copied={shown} label="Copied text" opener={button} onClose={close} />
    </>
  );
}
