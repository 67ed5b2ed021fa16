import { useGraphiQL } from '@graphiql/react';
import { type RefObject, useEffect, useRef } from 'react';
import { isEditorText } from '../keyboard/editor-frames.ts';

/** Calls `close` at Escape, at a click outside of `box`, and when another tab becomes the active one. */
export function useDismissal(box: RefObject<HTMLElement | null>, close: () => void): void {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  const first = useRef(tab);
  useEffect(() => {
    if (tab !== first.current) close();
  }, [tab, close]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // A menu prevents the default of an Escape that closes it; an editor does so in any case.
      const isUsed = event.defaultPrevented && !isEditorText(event.target);
      if (event.key !== 'Escape' || isUsed) return;
      // Not to `window`, where the next Escape leaves an editor.
      event.stopPropagation();
      close();
    };
    // A click, not its beginning: the page moves up below the pointer when the box closes. Captured, because the
    // click that opens the box may still be on its way up.
    const onClick = ({ target }: MouseEvent) => {
      if (!box.current?.contains(target as Node)) close();
    };
    document.addEventListener('keydown', onKey);
    addEventListener('click', onClick, { capture: true });
    return () => {
      document.removeEventListener('keydown', onKey);
      removeEventListener('click', onClick, { capture: true });
    };
  }, [box, close]);
}
