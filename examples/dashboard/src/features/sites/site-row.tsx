import { useRef } from 'react';
import type { Problem } from '../../gateway/problems.ts';
import type { SiteRowFragment } from '../../generated/graphql.ts';
import { Link } from '../../navigation/link.tsx';
import { sitePath } from '../../navigation/route.ts';
import { ProblemNotice } from '../../states/problem-notice.tsx';
import { NotStated } from '../../ui/facts.tsx';
import { compact, formatDay } from '../../ui/format.ts';
import { ServiceLevelBadge } from '../site/service-level-badge.tsx';
import { nameSite, pinSite, removeSite } from './site-list.ts';

export interface Row {
  id: string;
  /** The reader's own. */
  name: string | undefined;
  isPinned: boolean;
  /** Undefined until it is read, and if it could not be. */
  site: SiteRowFragment | undefined;
  /** When the CPP ends, in milliseconds since 1970. */
  expiry: number | undefined;
  /** Why there is no site. `unread`: for a reason that the page says once for all rows. */
  absence: 'loading' | 'unknown' | 'unread' | Problem;
}

/** A site in the table, in each of its states. `isOwn`: it is kept in this browser. */
export function SiteRow({ row, isOwn }: { row: Row; isOwn: boolean }) {
  const { id, name, isPinned, site, expiry, absence } = row;
  const title = name ?? (site && titleOf(site)) ?? id;
  return (
    <tr data-site={id} data-pinned={isPinned}>
      <th scope="row">
        <Link to={sitePath(id)}>{title}</Link>
        {site && <p>{compact([name && titleOf(site), townOf(site)]).join(' · ')}</p>}
        {title !== id && <code>{id}</code>}
      </th>
      {site ? (
        <>
          <td>
            <ServiceLevelBadge level={site.serviceLevel} label={site.serviceLevelLabel} />
          </td>
          <td className="figure">
            {formatDay(site.cppExpDate) ?? <NotStated />}
            {expiry !== undefined && expiry < Date.now() && <span className="expired"> expired</span>}
          </td>
        </>
      ) : (
        <td colSpan={2}>
          <Absence absence={absence} id={id} />
        </td>
      )}
      {isOwn && (
        <td>
          <RowMenu row={row} title={title} />
        </td>
      )}
    </tr>
  );
}

function Absence({ absence, id }: Pick<Row, 'absence' | 'id'>) {
  switch (absence) {
    case 'loading':
      return (
        <>
          <span className="visually-hidden">Loading {id}</span>
          <span className="skeleton-line" />
        </>
      );
    case 'unknown':
      return <p data-code="NOT_FOUND">Site not found. It does not exist, or belongs to another partner.</p>;
    case 'unread':
      return <p>This site could not be read.</p>;
    default:
      return <ProblemNotice problem={absence} />;
  }
}

/** Pins, names or removes the row. */
function RowMenu({ row: { id, name = '', isPinned }, title }: { row: Row; title: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
    menu.current?.querySelector('summary')?.focus();
  };
  const rename = () => {
    const text = prompt(`Your name for ${id}. It stays in this browser.`, name);
    if (text !== null) nameSite(id, text);
  };
  const choices = { [isPinned ? 'Unpin' : 'Pin']: () => pinSite(id, !isPinned), 'Name…': rename };
  return (
    <details
      ref={menu}
      name="row-menu"
      className="row-menu"
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <summary aria-label={`Change ${title}`}>⋯</summary>
      <div>
        {Object.entries({ ...choices, Remove: () => removeSite(id) }).map(([label, act]) => (
          <button
            key={label}
            type="button"
            onClick={() => {
              close();
              act();
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </details>
  );
}

const titleOf = ({ businessName, address1, address2 }: SiteRowFragment) =>
  businessName || compact([address1, address2]).join(', ') || undefined;

const townOf = ({ businessName, address1, city, state }: SiteRowFragment) =>
  compact([businessName && address1, city, state]).join(', ');
