import { useMemo, useState } from 'react';
import { problemAt } from '../../gateway/problems.ts';
import { useView } from '../../gateway/use-view.ts';
import { readFragment } from '../../generated/fragment-masking.ts';
import { navigate } from '../../navigation/route.ts';
import { ProblemNotice } from '../../states/problem-notice.tsx';
import { ViewFrame } from '../../states/view-page.tsx';
import { timeOf } from '../../ui/format.ts';
import { useSiteList } from './site-list.ts';
import { type Row, SiteRow } from './site-row.tsx';
import { inOrder, type SitesAddress, sitesPath } from './sites-address.ts';
import { siteRowFragment, sitesPageLive, sitesPageQuery } from './sites-page.query.ts';

/** One operation may read that many sites. */
const PAGE_SIZE = 50;

interface SitesTableProps {
  ids: readonly string[];
  address: SitesAddress;
  /** These sites are kept in this browser. */
  isOwn: boolean;
}

/** The table, of which one page is read at a time. */
export function SitesTable({ ids, address, isOwn }: SitesTableProps) {
  const { names, pinned } = useSiteList();
  // A row that is pinned or removed stays in its page, which would else have to be read anew.
  const inPages = useMemo(() => {
    const first = ids.filter((id) => pinned.includes(id));
    return [...new Set([...first, ...ids])];
  }, [ids]);
  const pages = Math.ceil(ids.length / PAGE_SIZE);
  const page = Math.min(address.page, pages);
  const start = (page - 1) * PAGE_SIZE;
  const shown = inPages.slice(start, start + PAGE_SIZE);
  const [read, setRead] = useState(shown);
  if (shown.some((id) => !read.includes(id))) setRead(shown);

  const view = useView({ query: sitesPageQuery, live: sitesPageLive }, { ids: read });
  const { data, problems, isLoading, isReloading, report } = view;
  const problem = data ? undefined : problemAt(problems);
  const rows = shown.map((id): Row => {
    const found = data?.sites.find((site) => site?.id === id);
    const site = found ? readFragment(siteRowFragment, found) : undefined;
    const isUnread = problem !== undefined || report.omittedErrors > 0;
    const failure = data && problemAt(problems, 'sites', read.indexOf(id));
    const absence = isLoading || isReloading ? 'loading' : (failure ?? (isUnread ? 'unread' : 'unknown'));
    const expiry = timeOf(site?.cppExpDate);
    return { id, name: names[id], isPinned: pinned.includes(id), site, expiry, absence };
  });
  const open = (change: Partial<SitesAddress>) => navigate(sitesPath({ ...address, page, ...change }));
  const { sort } = address;
  const nextSort = sort === undefined ? 'expiry' : sort === 'expiry' ? '-expiry' : undefined;
  const step = (next: number, label: string) => (
    <button
      type="button"
      aria-disabled={next < 1 || next > pages}
      onClick={() => next >= 1 && next <= pages && open({ page: next })}
    >
      {label}
    </button>
  );

  return (
    <ViewFrame view={view}>
      {problem && <ProblemNotice problem={problem} />}
      {pages > 1 && (
        <nav className="page-nav row" aria-label="Pages of the table">
          {step(page - 1, 'Previous')} {step(page + 1, 'Next')}
          Sites {start + 1} to {start + shown.length} of {ids.length}
        </nav>
      )}
      <table className="sites-table">
        <caption className="visually-hidden">Sites, pinned ones first</caption>
        <thead>
          <tr>
            <th scope="col">Site</th>
            <th scope="col">Service level</th>
            <th
              scope="col"
              aria-sort={sort === undefined ? 'none' : sort === 'expiry' ? 'ascending' : 'descending'}
            >
              <button type="button" onClick={() => open({ sort: nextSort })}>
                CPP expires
              </button>
            </th>
            {isOwn && (
              <th scope="col">
                <span className="visually-hidden">Change the row</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {inOrder(rows, sort).map((row) => (
            <SiteRow key={row.id} row={row} isOwn={isOwn} />
          ))}
        </tbody>
      </table>
    </ViewFrame>
  );
}
