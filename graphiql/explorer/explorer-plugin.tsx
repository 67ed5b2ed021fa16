import type { GraphiQLPlugin } from '@graphiql/react';
import { type ComponentType, useEffect, useState } from 'react';
import { panelIcon } from '../panel-icon.tsx';

/** The panel that builds an operation from ticked fields. Its script is loaded when it is first opened. */
export const explorerPlugin: GraphiQLPlugin = {
  title: 'Explorer',
  // A list with ticks.
  icon: panelIcon('M3 5l1.5 1.5L7 3.5M3 14l1.5 1.5L7 12.5M10 5.5h7M10 14.5h7'),
  content: ExplorerPanel,
};

let loaded: ComponentType | undefined;

function ExplorerPanel() {
  const [Fields, setFields] = useState(() => loaded);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (loaded) return;
    import('./explorer-fields.tsx').then(
      ({ ExplorerFields }) => {
        loaded = ExplorerFields;
        setFields(() => ExplorerFields);
      },
      () => setFailed(true),
    );
  }, []);
  return (
    <section className="portico-explorer" aria-label="Explorer">
      <h2>Explorer</h2>
      <p className="portico-note">Tick fields and arguments to add them to the operation.</p>
      {Fields ? (
        <Fields />
      ) : (
        <p role="status">
          {hasFailed ? 'The explorer could not be loaded. Reload the page to try again.' : 'Loading…'}
        </p>
      )}
    </section>
  );
}
