import { Button } from '../button.tsx';
import { createSessionStore, useStore } from '../store.ts';
import { deprecation, deprecationText } from './deprecation.ts';

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
          <p>{text}</p>
          <Button onClick={() => dismissed.set(text)}>Dismiss</Button>
        </div>
      ) : null}
    </div>
  );
}
