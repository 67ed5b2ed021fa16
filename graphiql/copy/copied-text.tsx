/** What a button has copied, or why not. Where the browser does not permit it, the text can be selected. */
export interface Copied {
  note: string;
  text?: string;
}

interface CopiedTextProps {
  copied: Copied | undefined;
  /** What the text is, for a screen reader. */
  label: string;
  onClose(): void;
}

/** Says what was copied, below the button. */
export function CopiedText({ copied, label, onClose }: CopiedTextProps) {
  return (
    <div role="status">
      {copied ? (
        <div className="portico-copied">
          <span>{copied.note}</span>
          <button type="button" className="portico-button" onClick={onClose}>
            Close
          </button>
          {copied.text === undefined ? null : (
            <textarea
              readOnly
              rows={Math.min(8, copied.text.split('\n').length)}
              aria-label={label}
              value={copied.text}
              onFocus={(event) => event.currentTarget.select()}
            />
          )}
        </div>
      ) : null}
    </div>
  );
}

/** Copies a text without a key. Browsers permit this only to pages from the local machine or over TLS. */
export async function copyText(text: string, name: string): Promise<Copied> {
  try {
    await navigator.clipboard.writeText(text);
    return { note: `${name} copied. It has no key.`, text };
  } catch {
    return { note: `Copy this ${name}. It has no key.`, text };
  }
}
