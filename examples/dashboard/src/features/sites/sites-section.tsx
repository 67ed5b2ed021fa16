import { useMemo, useState } from 'react';
import { RetryContext } from '../../gateway/retry-context.tsx';
import { navigate, replaceAddress } from '../../navigation/route.ts';
import { fitsAddress, type SitesAddress, type Sort, sitesPath } from '../../navigation/sites-address.ts';
import { ProblemNotice } from '../../states/problem-notice.tsx';
import { ViewNotes } from '../../states/view-notes.tsx';
import '../../states/view-page.css';
import { Section } from '../../ui/section.tsx';
import { Cost } from '../cost/cost.tsx';
import { inOrder } from './order.ts';
import { PageNav } from './page-nav.tsx';
import { useSiteList } from './site-list.ts';
import { SitesTable, type TableRow } from './sites-table.tsx';
import { useSiteRows } from './use-site-rows.ts';

/** One operation may read that many sites. */
const PAGE_SIZE = 50;

interface SitesSectionProps {
  ids: readonly string[];
  address: SitesAddress;
  /** Whether these are the sites that are kept in this browser. */
  isOwn: boolean;
  /** Of the entries in the history with other pages or in another order. */
  mark: string | undefined;
  /** Called with the page that is shown. */
  onRemoved(page: number): void;
  onClear(): void;
}

/** The table, of which one page is read at a time. */
export function SitesSection({ ids, address, isOwn, mark, onRemoved, onClear }: SitesSectionProps) {
  const { names, pinned } = useSiteList();
  // A row that is pinned stays in its page, which would else have to be read anew.
  const inPages = useMemo(
    () =>
      inOrder(
        ids.map((id) => ({ id, isPinned: pinned.includes(id) })),
        undefined,
      ).map(({ id }) => id),
    [ids],
  );
  const pages = Math.ceil(ids.length / PAGE_SIZE);
  const page = Math.min(address.page, pages);
  const start = (page - 1) * PAGE_SIZE;
  const shown = useMemo(() => inPages.slice(start, start + PAGE_SIZE), [inPages, start]);
  const { outcomes, view, problem, retry } = useSiteRows(shown);
  const pins = new Set(pinned);
  const rows = shown.map((id): TableRow => {
    const outcome = outcomes.get(id);
    const site = outcome?.state === 'loaded' ? outcome.site : undefined;
    return {
      ...{ id, outcome, name: names[id], isPinned: pins.has(id) },
      ...(site && { level: site.serviceLevelLabel, expiry: site.cppExpDate }),
    };
  });
  const isKeptOnly = address.ids.length === 0 || (isOwn && !fitsAddress(ids));
  const changed = (change: Partial<SitesAddress>) =>
    sitesPath({ ...address, ids: isKeptOnly ? [] : ids, page, ...change });
  const range = pages > 1 ? `Sites ${start + 1} to ${start + shown.length} of ${ids.length}` : undefined;

  return (
    <Section
      title="Sites"
      count={ids.length}
      className="sites-section"
      aside={
        <div className="sites-actions">
          {fitsAddress(ids) ? (
            <CopyLink path={sitesPath({ ids })} />
          ) : (
            <p className="absent">Too many sites for a link.</p>
          )}
          {isOwn && <ClearButton onClear={onClear} />}
        </div>
      }
    >
      <div className="view" aria-busy={view.isLoading || view.isReloading}>
        <ViewNotes view={view} />
        <RetryContext value={{ retryAt: view.retryAt, reload: () => retry() }}>
          {problem && <ProblemNotice problem={problem} />}
        </RetryContext>
        {pages > 1 && (
          <PageNav page={page} pages={pages} onOpen={(next) => navigate(changed({ page: next }), mark)} />
        )}
        <SitesTable
          caption={captionOf(range, pages > 1)}
          rows={inOrder(rows, address.sort)}
          sort={address.sort}
          isOwn={isOwn}
          retryAt={view.retryAt}
          onSort={(sort: Sort | undefined) => replaceAddress(changed({ sort }), mark)}
          onRetry={(id) => retry([id])}
          onRemoved={() => onRemoved(page)}
        />
      </div>
      <Cost view={view} />
    </Section>
  );
}

const captionOf = (range: string | undefined, isSplit: boolean) =>
  `${range ?? 'Sites'}, pinned ones first${isSplit ? '; each page is sorted by itself' : ''}`;

/** Copies the address of the table: its ids, and none of the names. */
function CopyLink({ path }: { path: string }) {
  const [outcome, setOutcome] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(new URL(path, location.href).href);
      setOutcome('Copied.');
    } catch {
      setOutcome('The browser does not permit it: copy the address of the page.');
    }
  };
  return (
    <>
      <span role="status" className="absent">
        {outcome}
      </span>
      <button type="button" onClick={copy} onBlur={() => setOutcome('')}>
        Copy link
      </button>
    </>
  );
}

/** Asks before it removes names and pins, which no link brings back. */
function ClearButton({ onClear }: { onClear(): void }) {
  const clear = () => {
    if (confirm('Remove all sites, with their names and pins?')) onClear();
  };
  return (
    <button type="button" className="quiet" onClick={clear}>
      Remove all…
    </button>
  );
}
