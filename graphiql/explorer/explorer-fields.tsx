import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQL } from '@graphiql/react';
import { lexicographicSortSchema } from 'graphql';
import { useEffect, useMemo, useRef, useState } from 'react';
import { options } from '../options.ts';
import { nameControls } from './control-names.ts';
import { defaultValueOf } from './default-value.ts';
import { showActionsByFocus } from './focus-actions.ts';
import { rememberTick } from './remember-tick.ts';
import { TickMark } from './tick-mark.tsx';

const text = 'hsl(var(--color-neutral))';
const strong = 'hsl(var(--color-primary))';
const value = 'var(--portico-cache)';

const appearance = {
  colors: {
    keyword: strong,
    def: text,
    property: text,
    qualifier: text,
    attribute: text,
    number: value,
    string: value,
    builtin: value,
    string2: value,
    variable: strong,
    atom: text,
  },
  arrowOpen: <TickMark isTicked isExpandable />,
  arrowClosed: <TickMark isExpandable />,
  checkboxChecked: <TickMark isTicked />,
  checkboxUnchecked: <TickMark />,
  getDefaultScalarArgValue: defaultValueOf(options.example),
};

/** The fields of the schema, with those of the operation ticked. All of it works by the keyboard too. */
export function ExplorerFields() {
  const schema = useGraphiQL(({ schema }) => schema);
  const panel = useRef<HTMLDivElement>(null);
  const [actions] = useState(showActionsByFocus);
  const [focus] = useState(rememberTick);
  const Fields = useMemo(() => {
    // The explorer sorts the arguments of its schema in place: it gets a copy.
    return schema && explorerPlugin({ ...appearance, schema: lexicographicSortSchema(schema) }).content;
  }, [schema]);

  useEffect(() => {
    const { current } = panel;
    if (!current) return;
    nameControls(current);
    const observer = new MutationObserver(() => {
      nameControls(current);
      focus.restoreIn(current);
    });
    observer.observe(current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [focus]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens for the focus of what is in it.
    <div
      ref={panel}
      onFocus={(event) => {
        if (keepFocusOutside(event)) return;
        actions.onFocus(event.target);
        focus.onFocus(event.target);
      }}
    >
      {Fields ? <Fields /> : <p className="portico-note">No schema has been read yet.</p>}
    </div>
  );
}

/**
 * The input of an argument takes the focus when it appears, also when the panel opens, or when an argument is
 * typed in the editor. An input without a name has just appeared: outside of the panel, the focus goes back.
 */
function keepFocusOutside({ target, currentTarget, relatedTarget }: React.FocusEvent): boolean {
  const isNew = target instanceof HTMLInputElement && !target.hasAttribute('aria-label');
  const isTaken = isNew && relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget);
  if (isTaken) relatedTarget.focus();
  return isTaken;
}
