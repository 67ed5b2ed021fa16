import { useCallback, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { type Copied, CopiedText, copyText } from '../copy/copied-text.tsx';
import { useEditedOperation, useKeyCheck } from '../operation/edited.ts';
import { endpoint } from '../options.ts';
import { shareUrl } from './share-url.ts';

/** Copies a link to the operation and its variables; neither the key nor any other header is in it. */
export function ShareButton() {
  const read = useEditedOperation();
  const hasKey = useKeyCheck();
  const [shared, setShared] = useState<Copied>();
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setShared(undefined), []);

  async function share() {
    const { query, variables } = read();
    if (hasKey(query, variables)) return setShared({ note: 'No link: the operation contains the key.' });
    const url = shareUrl(endpoint, query, variables);
    setShared(url ? await copyText(url, 'Link') : { note: 'The operation is too long for a link.' });
  }

  return (
    <div className="portico-share">
      <Button ref={button} onClick={share}>
        Share
      </Button>
      <CopiedText copied={shared} label="Link to this operation" opener={button} onClose={close} />
    </div>
  );
}
