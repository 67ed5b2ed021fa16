import { pick, useGraphiQL } from '@graphiql/react';
import { useState } from 'react';
import { endpoint } from '../options.ts';
import { shareUrl } from './share-url.ts';

/** Copies a link to the operation and its variables; neither the key nor any other header is in it. */
export function ShareButton() {
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const [shared, setShared] = useState<{ note: string; url?: string }>();

  async function share() {
    const url = shareUrl(endpoint, queryEditor?.getValue() ?? '', variableEditor?.getValue() ?? '');
    if (!url) return setShared({ note: 'The operation is too long for a link.' });
    const isCopied = await copy(url);
    setShared({ note: isCopied ? 'Link copied. It has no key.' : 'Copy this link. It has no key.', url });
  }

  return (
    <div className="portico-share">
      <button type="button" className="portico-button" onClick={share} disabled={!queryEditor}>
        Share
      </button>
      <div role="status">
        {shared ? (
          <div className="portico-shared">
            <span>{shared.note}</span>
            {shared.url ? (
              <input
                readOnly
                aria-label="Link to this operation"
                value={shared.url}
                onFocus={(event) => event.currentTarget.select()}
              />
            ) : null}
            <button type="button" className="portico-button" onClick={() => setShared(undefined)}>
              Close
            </button>
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** Browsers permit this only to pages from the local machine or over TLS. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
