import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { useDismissal } from '../copy/dismissal.ts';
import { useKeyCheck } from '../operation/edited.ts';
import { panelIcon } from '../panel-icon.tsx';
import { MAX_NAME_LENGTH, nameOfTab } from './names.ts';

const Pencil = panelIcon('M4 16l1-4 8-8 3 3-8 8zM11 6l3 3');

/** Beside the tabs: names the active one. A double click on a tab does the same. */
export function RenameButton() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    const onDoubleClick = ({ target }: MouseEvent) => {
      if ((target as Element).closest('.graphiql-tab-button')) setOpen(true);
    };
    addEventListener('dblclick', onDoubleClick);
    return () => removeEventListener('dblclick', onDoubleClick);
  }, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="graphiql-un-styled portico-rename"
        aria-label="Rename tab"
        aria-expanded={isOpen}
        title="Rename tab"
        onClick={() => setOpen(!isOpen)}
      >
        <Pencil />
      </button>
      {isOpen ? <NameForm opener={button} onClose={close} /> : null}
    </>
  );
}

interface NameFormProps {
  /** The button that gets the focus back. */
  opener: RefObject<HTMLButtonElement | null>;
  onClose(): void;
}

function NameForm({ opener, onClose }: NameFormProps) {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]);
  const { updateActiveTabValues } = useGraphiQLActions();
  const hasKey = useKeyCheck();
  const [typed, setTyped] = useState(nameOfTab(tab) ?? '');
  const [problem, setProblem] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const close = useCallback(() => {
    if (form.current?.contains(document.activeElement)) opener.current?.focus();
    onClose();
  }, [opener, onClose]);
  useDismissal(form, close);
  useEffect(() => input.current?.select(), []);

  function rename(event: React.FormEvent) {
    event.preventDefault();
    const name = typed.trim();
    if (hasKey(name)) return setProblem('Not renamed: the name contains the key.');
    // Cut after the check, which finds a whole key only. The type of a tab has no name, but GraphiQL keeps it.
    updateActiveTabValues({ name: name.slice(0, MAX_NAME_LENGTH) || undefined } as object);
    close();
  }

  return (
    <form ref={form} className="portico-tab-name" onSubmit={rename}>
      <label htmlFor="tab-name">Name of this tab</label>
      <input
        ref={input}
        id="tab-name"
        value={typed}
        placeholder={tab?.operationName ?? 'that of the operation'}
        autoComplete="off"
        aria-describedby="tab-name-problem"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit">Rename</Button>
      <p id="tab-name-problem" className="portico-problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
