import { type RefObject, useRef } from 'react';
import type { Sort } from '../../navigation/sites-address.ts';
import type { OrderedRow } from './order.ts';
import { SiteRow } from './site-row.tsx';
import type { SiteOutcome } from './use-site-rows.ts';

export interface TableRow extends OrderedRow {
  id: string;
  /** The reader's own. */
  name: string | undefined;
  /** Undefined while it is on its way. */
  outcome: SiteOutcome | undefined;
}

interface SitesTableProps {
  caption: string;
  rows: readonly TableRow[];
  sort: Sort | undefined;
  /** Whether rows can be removed. */
  isOwn: boolean;
  retryAt: number | undefined;
  onSort(sort: Sort | undefined): void;
  onRetry(id: string): void;
  onRemoved(): void;
}

/** Sites, a row each, in the order of `rows`. */
export function SitesTable({ caption, rows, sort, isOwn, retryAt, ...on }: SitesTableProps) {
  const table = useRef<HTMLTableElement>(null);
  return (
    <table ref={table} tabIndex={-1} className="sites-table">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Site</th>
          <SortHeader by="level" title="Service level" sort={sort} onSort={on.onSort} />
          <SortHeader by="expiry" title="CPP expires" sort={sort} onSort={on.onSort} />
          <th scope="col">
            <span className="visually-hidden">Change the row</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <SiteRow
            key={row.id}
            row={row}
            isOwn={isOwn}
            retryAt={retryAt}
            onRetry={() => {
              on.onRetry(row.id);
              focus(table);
            }}
            onRemoved={() => {
              on.onRemoved();
              focus(table);
            }}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Where the button that was pressed is gone. */
const focus = (table: RefObject<HTMLTableElement | null>) => table.current?.focus({ preventScroll: true });

interface SortHeaderProps {
  by: Sort['by'];
  title: string;
  sort: Sort | undefined;
  onSort(sort: Sort | undefined): void;
}

/** Sorts upwards, then downwards, then not at all. */
function SortHeader({ by, title, sort, onSort }: SortHeaderProps) {
  const isDescending = sort?.by === by ? sort.isDescending : undefined;
  const next = isDescending === undefined ? { by, isDescending: false } : { by, isDescending: true };
  const order = isDescending === undefined ? 'none' : isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={order}>
      <button type="button" onClick={() => onSort(isDescending === true ? undefined : next)}>
        {title}
      </button>
    </th>
  );
}
