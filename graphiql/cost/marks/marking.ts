import { useEffect } from 'react';
import { markedFields } from './marks.ts';

const clear = () => markedFields.set({ fields: [], reveal: false });

/** Marks `fields` in the editor while the pointer is over a row, or while its button has the focus. */
export function useMarking(fields: readonly string[]) {
  const mark = (reveal: boolean) => markedFields.set({ fields, reveal });
  // A row may go while it is marked.
  useEffect(() => clear, []);
  return {
    row: { onMouseEnter: () => mark(false), onMouseLeave: clear },
    button: { onFocus: () => mark(true), onBlur: clear },
  };
}
