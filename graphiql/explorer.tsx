import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQL } from '@graphiql/react';
import { useEffect, useRef } from 'react';

const plugin = explorerPlugin();

/** GraphiQL's explorer, with a name for the list of kinds of a new operation, which has none. */
export const EXPLORER_PLUGIN = { ...plugin, content: Explorer };

function Explorer() {
  const Content = plugin.content;
  const panel = useRef<HTMLDivElement>(null);
  // The list is there once the schema is read.
  const schema = useGraphiQL(({ schema }) => schema);
  useEffect(() => {
    if (schema)
      panel.current?.querySelector('select')?.setAttribute('aria-label', 'Kind of the new operation');
  }, [schema]);
  return (
    <div ref={panel} className="portico-explorer">
      <Content />
    </div>
  );
}
