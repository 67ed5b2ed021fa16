import { useState } from 'react';
import { Button } from '../button.tsx';
import { apiKey, demoKey, isUsableKey, keyField, keyProblem } from '../request/api-key.ts';
import { useStore } from '../store.ts';

/** The API key, masked. It is sent with each request and kept in this browser tab only. */
export function KeyField() {
  const key = useStore(apiKey);
  const rejection = useStore(keyProblem);
  const [isShown, setShown] = useState(false);
  const isUnusable = key !== '' && !isUsableKey(key);
  const problem = isUnusable
    ? 'A key has no spaces, only ASCII characters, and at most 256 of them.'
    : rejection;
  return (
    <div className="portico-key">
      <label htmlFor="api-key">API key</label>
      <input
        id="api-key"
        ref={keyField}
        type={isShown ? 'text' : 'password'}
        value={key}
        onChange={(event) => apiKey.set(event.currentTarget.value.trim())}
        placeholder="Sent as x-api-key"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={problem ? 'api-key-problem' : undefined}
      />
      <Button onClick={() => setShown(!isShown)}>{isShown ? 'Hide key' : 'Show key'}</Button>
      {demoKey !== '' && key !== demoKey ? (
        <Button onClick={() => apiKey.set(demoKey)}>Use the demo key</Button>
      ) : null}
      <p id="api-key-problem" role="alert">
        {problem}
      </p>
    </div>
  );
}
