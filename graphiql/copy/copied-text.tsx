import { type RefObject, useCallback, useRef } from 'react';
import { Button } from '../button.tsx';
import { writeToClipboard } from './clipboard.ts';
import { useDismissal } from './dismissal.ts';

/** What a button has copied, or why not. Where the browser does not permit it, the text can be selected. */
export interface Copied {
  note: string;
  text?: string;
}

interface CopiedTextProps {
  copied: Copied | undefined;
  /** What the text is, for a screen reader. */
  label: string;
  /** The button that gets the focus back from the box. */
  opener: RefObject<HTMLButtonElement | null>;
  onClose(): void;
}

/** Says what was copied, in a row of its own below the button: it covers nothing. */
export function CopiedText({ copied, ...props }: CopiedTextProps) {
  return (
    <div className="portico-copy-status" role="status">
      {copied ? <CopiedBox copied={copied} {...props} /> : null}
    </div>
  );
}

function CopiedBox({ copied, label, opener, onClose }: CopiedTextProps & { copied: Copied }) {
  const box = useRef<HTMLDivElement>(null);
  const close = useCallback(() => {
    if (box.current?.contains(document.activeElement)) opener.current?.focus();
    onClose();
  }, [opener, onClose]);
  useDismissal(box, close);
  return (
    <div className="portico-copied" ref={box}>
      <span>{copied.note}</span>
      <Button onClick={close}>Close</Button>
      {copied.text === undefined ? null : (
        <textarea
          readOnly
          rows={Math.min(8, 1 + copied.text.split('\n').length)}
          aria-label={label}
          value={copied.text}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </div>
  );
}

/** Copies a text without a key. */
export async function copyText(text: string, name: string): Promise<Copied> {
  const isCopied = await writeToClipboard(text);
  return { note: `${isCopied ? `${name} copied` : `Copy this ${name}`}. It has no key.`, text };
}
