import { useStore } from '../../store.ts';
import { accessText } from './access.ts';
import { keyAccess } from './key-access.ts';

/** What this key opens and what not, after a rejection. */
export function AccessNote() {
  const text = accessText(useStore(keyAccess));
  return <p role="status">{text ? <span className="portico-access">{text}</span> : null}</p>;
}
