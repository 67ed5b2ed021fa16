import { type FormEvent, useEffect, useRef, useState } from 'react';
import { RetryContext, useRetry } from '../../gateway/retry-context.tsx';
import type { SiteRowFragment } from '../../generated/graphql.ts';
import { Link } from '../../navigation/link.tsx';
import { sitePath } from '../../navigation/route.ts';
import { ProblemNotice } from '../../states/problem-notice.tsx';
import { NotStated } from '../../ui/facts.tsx';
import { compact, formatDay, timeOf } from '../../ui/format.ts';
import { ServiceLevelBadge } from '../site/service-level-badge.tsx';
import { MAX_NAME, nameSite, pinSite, removeSite } from './site-list.ts';
import type { TableRow } from './sites-table.tsx';
import type { SiteOutcome } from './use-site-rows.ts';

interface SiteRowProps {
  row: TableRow;
  /** Whether the row can be removed. */
  isOwn: boolean;
  retryAt: number | undefined;
  onRetry(): void;
  onRemoved(): void;
}

/** A site in the table, in each of its states. */
export function SiteRow({ row, isOwn, retryAt, onRetry, onRemoved }: SiteRowProps) {
  const { id, name, outcome, isPinned } = row;
  const site = outcome?.state === 'loaded' ? outcome.site : undefined;
  const title = name ?? (site && titleOf(site)) ?? id;
  const [isNaming, setIsNaming] = useState(false);
  const nameButton = useRef<HTMLButtonElement>(null);
  const wasNaming = useRef(false);
  useEffect(() => {
    if (wasNaming.current && !isNaming) nameButton.current?.focus();
    wasNaming.current = isNaming;
  }, [isNaming]);

  return (
    <tr data-site={id} data-pinned={isPinned}>
      <th scope="row">
        {isNaming ? (
          <NameForm id={id} name={name ?? ''} onDone={() => setIsNaming(false)} />
        ) : (
          <Link to={sitePath(id)}>{title}</Link>
        )}
        {site && <p>{compact([name && titleOf(site), townOf(site)]).join(' · ')}</p>}
        {title !== id && <code>{id}</code>}
      </th>
      <RetryContext value={{ retryAt, reload: onRetry }}>
        {site ? <SiteCells site={site} /> : <MissingCells outcome={outcome} id={id} />}
      </RetryContext>
      <td>
        <div className="row-actions">
          <button type="button" aria-pressed={isPinned} onClick={() => pinSite(id, !isPinned)}>
            <Label short={isPinned ? 'Pinned' : 'Pin'} of={title} />
          </button>
          <button ref={nameButton} type="button" disabled={isNaming} onClick={() => setIsNaming(true)}>
            <Label short="Name" of={title} />
          </button>
          {isOwn && (
            <button
              type="button"
              onClick={() => {
                removeSite(id);
                onRemoved();
              }}
            >
              <Label short="Remove" of={title} />
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}

const Label = ({ short, of }: { short: string; of: string }) => (
  <>
    {short}
    <span className="visually-hidden"> {of}</span>
  </>
);

function SiteCells({ site: { serviceLevel, serviceLevelLabel, cppExpDate } }: { site: SiteRowFragment }) {
  const end = timeOf(cppExpDate);
  return (
    <>
      <td>
        <ServiceLevelBadge level={serviceLevel} label={serviceLevelLabel} />
      </td>
      <td className="figure">
        {formatDay(cppExpDate) ?? <NotStated />}
        {end !== undefined && end < Date.now() && <span className="expired"> expired</span>}
      </td>
    </>
  );
}

function MissingCells({ outcome, id }: { outcome: SiteOutcome | undefined; id: string }) {
  if (!outcome) {
    return (
      <td colSpan={2}>
        <span className="visually-hidden">Loading {id}</span>
        <span className="skeleton-line" />
      </td>
    );
  }
  return (
    <td colSpan={2} data-state={outcome.state}>
      {outcome.state === 'failed' && <ProblemNotice problem={outcome.problem} />}
      {outcome.state === 'absent' && (
        <p data-code="NOT_FOUND">Site not found. It does not exist, or belongs to another partner.</p>
      )}
      {outcome.state === 'unread' && <Unread hasRetry={outcome.retry === 'manual'} />}
    </td>
  );
}

/** A row that failed with all others, or whose error the response does not list. */
function Unread({ hasRetry }: { hasRetry: boolean }) {
  const { reload } = useRetry();
  return (
    <div className="notice problem-notice">
      <p>This site could not be read.</p>
      {hasRetry && (
        <button type="button" onClick={reload}>
          Try again
        </button>
      )}
    </div>
  );
}

function NameForm({ id, name, onDone }: { id: string; name: string; onDone(): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    nameSite(id, input.current?.value ?? '');
    onDone();
  };
  return (
    <form className="name-form" onSubmit={onSubmit} onKeyDown={({ key }) => key === 'Escape' && onDone()}>
      <input
        ref={input}
        aria-label={`Your name for ${id}`}
        defaultValue={name}
        maxLength={MAX_NAME}
        autoComplete="off"
      />
      <button type="submit">Save</button>
    </form>
  );
}

const titleOf = ({ businessName, address1, address2 }: SiteRowFragment) =>
  businessName || compact([address1, address2]).join(', ') || undefined;

const townOf = ({ businessName, address1, city, state }: SiteRowFragment) =>
  compact([businessName && address1, city, state]).join(', ');
