import { Button } from '../button.tsx';
import { createSessionStore, useStore } from '../store.ts';
import { deprecationText, pagesOf } from './deprecation.ts';
import { deprecation } from './notice.ts';

/** The sentence that was dismissed in this tab: another date is shown again. */
const dismissed = createSessionStore('deprecation-dismissed', '');

/** Says that the REST API ends, until a click dismisses it. */
export function DeprecationBanner() {
  const current = useStore(deprecation);
  const last = useStore(dismissed);
  const text = current ? deprecationText(current, Date.now()) : last;
  return (
    <div role="status">
      {current && text !== last ? (
        <div className="portico-banner">
          <p>
            {text}
            {pagesOf(current).map(({ href, text }) => (
              <a key={href} href={href} target="_blank" rel="noopener noreferrer">
                {text}
              </a>
            ))}
          </p>
          <Button onClick={() => dismissed.set(text)}>Dismiss</Button>
        </div>
      ) : null}
    </div>
  );
}
