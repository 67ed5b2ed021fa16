import { Fragment } from 'react';
import type { useMarking } from './marks/marking.ts';

interface CallCellProps {
  path: string;
  fields: readonly string[];
  button: ReturnType<typeof useMarking>['button'];
}

/** A call with the fields that cause it. Its path is a button, so that the keyboard reaches the call. */
export function CallCell({ path, fields, button }: CallCellProps) {
  return (
    <th scope="row" className="portico-call">
      <button type="button" {...button}>
        {partsOf(path).map(([offset, part]) => (
          <Fragment key={offset}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </button>
      {fields.length > 0 ? <span className="portico-fields">for {fields.join(', ')}</span> : null}
    </th>
  );
}

/** The parts of a path between which a line may break, with their offsets. */
function partsOf(path: string): [number, string][] {
  return [...path.matchAll(/[^/?,-]*[/?,-]?/g)].map(({ index, 0: part }) => [index, part]);
}
