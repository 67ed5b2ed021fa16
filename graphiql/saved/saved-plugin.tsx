import { type GraphiQLPlugin, pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useState } from 'react';
import { Button } from '../button.tsx';
import { useEditedOperation, useKeyCheck } from '../operation/edited.ts';
import { panelIcon } from '../panel-icon.tsx';
import { useStore } from '../store.ts';
import { deleteOperation, type SavedOperation, savedOperations, saveOperation } from './saved.ts';

/** The panel with the operations that this browser keeps. */
export const savedPlugin: GraphiQLPlugin = {
  title: 'Saved operations',
  // A bookmark.
  icon: panelIcon('M5 3h10v14l-5-4-5 4z'),
  content: SavedPanel,
};

function SavedPanel() {
  const operations = useStore(savedOperations);
  const [problem, setProblem] = useState<string>();
  return (
    <section className="portico-saved" aria-label="Saved operations">
      <h2>Saved operations</h2>
      <p className="portico-note">
        In this browser, also after it is closed. Keys and other headers are never saved.
      </p>
      <SaveForm onSaved={setProblem} />
      <p className="portico-problem" role="alert">
        {problem}
      </p>
      {operations.length > 0 ? (
        <ul>
          {operations.map((operation) => (
            <li key={operation.name}>
              <SavedItem operation={operation} onDelete={() => setProblem(deleteOperation(operation.name))} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

/** Saves the operation in the editors by a name, at first its own. */
function SaveForm({ onSaved }: { onSaved(problem: string | undefined): void }) {
  const title = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.title ?? '');
  const read = useEditedOperation();
  const hasKey = useKeyCheck();
  const [typed, setTyped] = useState<{ name: string; title: string }>();
  const [withVariables, setWithVariables] = useState(false);
  const name = typed?.title === title ? typed.name : title;

  function save(event: React.FormEvent) {
    event.preventDefault();
    const { query, variables } = read();
    const saved = { name: name.trim() || title, query, variables: withVariables ? variables : undefined };
    // A name is cut after the check, which finds a whole key only.
    const isSecret = hasKey(saved.name, query, saved.variables ?? '');
    onSaved(isSecret ? 'Not saved: the operation contains the key.' : saveOperation(saved));
  }

  return (
    <form onSubmit={save}>
      <label htmlFor="saved-name">Name</label>
      <input
        id="saved-name"
        value={name}
        required
        autoComplete="off"
        onChange={(event) => setTyped({ name: event.currentTarget.value, title })}
      />
      <label>
        <input
          type="checkbox"
          checked={withVariables}
          onChange={(event) => setWithVariables(event.currentTarget.checked)}
        />{' '}
        With its variables
      </label>
      <Button type="submit">Save</Button>
    </form>
  );
}

function SavedItem({ operation, onDelete }: { operation: SavedOperation; onDelete(): void }) {
  const { name, variables } = operation;
  const open = useOpen();
  return (
    <>
      <Button onClick={() => open(operation)}>{name}</Button>
      {variables === undefined ? null : <span className="portico-note">with variables</span>}
      <Button aria-label={`Delete ${name}`} onClick={onDelete}>
        Delete
      </Button>
    </>
  );
}

/** Returns what opens an operation in a tab of its own. */
function useOpen(): (operation: SavedOperation) => void {
  const { addTab } = useGraphiQLActions();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  return ({ query, variables = '' }) => {
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
  };
}
