import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/** What a screen reader calls the editors. */
const names = {
  queryEditor: 'Operation',
  variableEditor: 'Variables',
  headerEditor: 'Headers',
  responseEditor: 'Response',
} as const;

/**
 * Escape in an editor moves the focus to its frame, from where Tab goes on: in the editor Tab indents. An Escape
 * that closes something in the editor does only that. GraphiQL itself has Enter on a frame enter its editor.
 */
export function useEditorFrames(): void {
  const { queryEditor, variableEditor, headerEditor, responseEditor } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'responseEditor'),
  );
  useEffect(() => {
    const editors = { queryEditor, variableEditor, headerEditor, responseEditor };
    const frames: HTMLElement[] = [];
    for (const [property, name] of Object.entries(names)) {
      const editor = editors[property as keyof typeof names];
      if (!editor) continue;
      editor.updateOptions({ ariaLabel: `${name}. Escape leaves the editor.` });
      frames.push(nameFrame(editor.getContainerDomNode(), name));
    }
    return leaveByEscape(frames);
  }, [queryEditor, variableEditor, headerEditor, responseEditor]);
}

/** Whether keys go to the text of an editor: the fields of its search, and others in its frame, are not the text. */
export function isEditorText(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.matches('.inputarea');
}

function nameFrame(frame: HTMLElement, name: string): HTMLElement {
  // That of the response has a name of GraphiQL's.
  if (!frame.hasAttribute('aria-label')) {
    frame.setAttribute('role', 'group');
    frame.setAttribute('aria-label', `${name}. Enter edits.`);
  }
  return frame;
}

/** Returns what removes the listeners. */
function leaveByEscape(frames: readonly HTMLElement[]): () => void {
  let closesHover = false;
  const frameOf = ({ key, target }: KeyboardEvent) =>
    key === 'Escape' && isEditorText(target) ? frames.find((frame) => frame.contains(target)) : undefined;
  // The editor closes its hovers at any key, and lets the key pass.
  const onCapture = (event: KeyboardEvent) => {
    closesHover = isHoverOpen(frameOf(event));
  };
  // The editor stops the propagation of a key that is a command, such as to close its suggestions. That the
  // default is prevented says nothing: the editor does so at every Escape.
  const onKey = (event: KeyboardEvent) => {
    if (!event.isComposing && !closesHover) frameOf(event)?.focus();
  };
  addEventListener('keydown', onCapture, { capture: true });
  addEventListener('keydown', onKey);
  return () => {
    removeEventListener('keydown', onCapture, { capture: true });
    removeEventListener('keydown', onKey);
  };
}

function isHoverOpen(frame: HTMLElement | undefined): boolean {
  return [...(frame?.querySelectorAll('.monaco-hover') ?? [])].some((hover) =>
    hover.checkVisibility({ visibilityProperty: true }),
  );
}
