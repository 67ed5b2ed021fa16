import { pick, useGraphiQL, useMonaco } from '@graphiql/react';
import { parse } from 'graphql';
import { useEffect } from 'react';
import { createStore } from '../../store.ts';
import { hintsFrom } from '../plan/hints.ts';
import { planState } from '../plan/plan.ts';
import { type FieldRange, fieldRanges } from './field-ranges.ts';

/** The paths of the fields of the call under the pointer or the focus; `reveal` scrolls to the first one. */
export const markedFields = createStore<{ fields: readonly string[]; reveal: boolean }>({
  fields: [],
  reveal: false,
});

/** Marks `markedFields` in the query editor. */
export function useMarks(): void {
  const { queryEditor, operationName } = useGraphiQL(pick('queryEditor', 'operationName'));

  useEffect(() => {
    if (!queryEditor) return;
    const decorations = queryEditor.createDecorationsCollection();
    const mark = () => {
      const { fields, reveal } = markedFields.get();
      const ranges = [...rangesIn(queryEditor.getValue(), operationName, fields).values()]
        .flat()
        .map(toMonaco);
      decorations.set(ranges.map((range) => ({ range, options: { className: 'portico-marked-field' } })));
      const [first] = ranges;
      if (reveal && first) queryEditor.revealRangeInCenterIfOutsideViewport(first);
    };
    const unsubscribe = markedFields.subscribe(mark);
    return () => {
      unsubscribe();
      decorations.clear();
    };
  }, [queryEditor, operationName]);
}

/** Shows the cost of the plan in the query editor, beside the fields that cause calls. */
export function useHints(): void {
  const monaco = useMonaco(({ monaco }) => monaco);
  const { queryEditor, operationName } = useGraphiQL(pick('queryEditor', 'operationName'));

  useEffect(() => {
    if (!monaco || !queryEditor) return;
    const changed = new monaco.Emitter<void>();
    const unsubscribe = planState.subscribe(() => changed.fire());
    const provider = monaco.languages.registerInlayHintsProvider('graphql', {
      onDidChangeInlayHints: changed.event,
      provideInlayHints(model) {
        if (model !== queryEditor.getModel()) return null;
        const texts = hintsFrom(planState.get().plan?.calls ?? []);
        const ranges = rangesIn(model.getValue(), operationName, texts.keys());
        const hints = [...ranges].flatMap(([path, [first]]) =>
          first
            ? {
                position: { lineNumber: first.line, column: first.noteColumn },
                label: texts.get(path) ?? '',
                paddingLeft: true,
              }
            : [],
        );
        return { hints, dispose: () => {} };
      },
    });
    return () => {
      unsubscribe();
      provider.dispose();
      changed.dispose();
    };
  }, [monaco, queryEditor, operationName]);
}

/** The places at which a text selects these fields; none while it does not parse. */
function rangesIn(
  text: string,
  operationName: string | undefined,
  paths: Iterable<string>,
): Map<string, FieldRange[]> {
  try {
    return fieldRanges(parse(text), operationName, paths);
  } catch {
    return new Map();
  }
}

function toMonaco({ line, startColumn, endColumn }: FieldRange) {
  return { startLineNumber: line, endLineNumber: line, startColumn, endColumn };
}
