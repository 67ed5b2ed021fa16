import { useState } from 'react';
import { Button } from '../button.tsx';
import { type Access, openKinds } from '../cost/access/access.ts';
import { keyAccess } from '../cost/access/key-access.ts';
import { apiKey, demoKey, isUsableKey, keyProblem } from '../request/api-key.ts';
import { useStore } from '../store.ts';

const problems = {
  missing: 'Every operation needs a key. Enter one here.',
  rejected:
    'The REST API rejected this key. Check it for missing characters. If it is complete, contact support: it may be inactive, or lack the scope.',
  explained: 'The REST API rejected this key.',
  unusable: 'A key has no spaces, only ASCII characters, and at most 256 of them.',
};

/** The panel says what else is known of a rejection. A key that opens something lacks a scope: it is no mistake. */
function shownProblem(problem: ReturnType<typeof keyProblem.get>, access: Access) {
  if (problem !== 'rejected' || access.rejected.size === 0) return problem;
  return openKinds(access).length > 0 ? undefined : 'explained';
}

/** The API key, masked. It is sent with each request and kept in this browser tab only. */
export function KeyField() {
  const key = useStore(apiKey);
  const problem = useStore(keyProblem);
  const [isShown, setShown] = useState(false);
  const access = useStore(keyAccess);
  const current = key !== '' && !isUsableKey(key) ? 'unusable' : shownProblem(problem, access);

  return (
    <div className="portico-key">
      <label htmlFor="api-key">API key</label>
      <input
        id="api-key"
        type={isShown ? 'text' : 'password'}
        value={key}
        onChange={(event) => apiKey.set(event.currentTarget.value.trim())}
        placeholder="Sent as x-api-key"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={current !== undefined}
        aria-describedby={current ? 'api-key-problem' : undefined}
      />
      <Button onClick={() => setShown(!isShown)}>{isShown ? 'Hide key' : 'Show key'}</Button>
      {demoKey !== '' && key !== demoKey ? (
        <Button onClick={() => apiKey.set(demoKey)}>Use the demo key</Button>
      ) : null}
      <p id="api-key-problem" className="portico-problem" role="alert">
        {current ? problems[current] : ''}
      </p>
    </div>
  );
}
