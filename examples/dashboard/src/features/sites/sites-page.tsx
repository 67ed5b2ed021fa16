import { useMemo, useState } from 'react';
import { navigate, useAddress } from '../../navigation/route.ts';
import { formatCount } from '../../ui/format.ts';
import { AddSites } from './add-sites.tsx';
import { addSites, removeAllSites, useSiteList } from './site-list.ts';
import { fitsAddress, readSitesAddress, sitesPath } from './sites-address.ts';
import { SitesTable } from './sites-table.tsx';
import './sites.css';

/** Sites in one table: those that are kept in this browser, or those of a link. */
export function SitesPage() {
  const list = useSiteList();
  const search = useAddress('search');
  const address = useMemo(() => readSitesAddress(search), [search]);
  const isShared = address.ids.length > 0;
  const ids = isShared ? address.ids : list.ids;
  const title = isShared ? 'Shared sites' : 'My sites';
  const [isAdding, setIsAdding] = useState(list.ids.length === 0);

  const keep = () => {
    addSites(ids);
    navigate('/sites');
  };
  // No link brings names and pins back.
  const clear = () => {
    if (!confirm('Remove all sites, with their names and pins?')) return;
    removeAllSites();
    setIsAdding(true);
  };
  return (
    <div className="sites-page stack">
      <title>{`${title} · Partner dashboard`}</title>
      <header className="row spread">
        <h1>
          {title} {ids.length > 0 && <span className="count">{ids.length}</span>}
        </h1>
        <div className="row">
          {isShared && (
            <button type="button" onClick={keep}>
              Add to my sites
            </button>
          )}
          {!isShared && ids.length > 0 && (
            <>
              <button type="button" aria-expanded={isAdding} onClick={() => setIsAdding(!isAdding)}>
                Add sites
              </button>
              <CopyLink ids={ids} />
              <button type="button" className="quiet" onClick={clear}>
                Remove all…
              </button>
            </>
          )}
        </div>
      </header>
      {isShared && (
        <p className="lead">
          {ids.length === 1 ? 'This site is' : `These ${formatCount(ids.length, 'site')} are`} from the
          address of this page, and not in your list.
        </p>
      )}
      {ids.length === 0 && (
        <p className="lead">
          Paste the ids of your sites: the REST API cannot list them. They are kept in this browser.
        </p>
      )}
      {isAdding && !isShared && <AddSites />}
      {ids.length > 0 && (
        // With other sites the pages have other rows.
        <SitesTable key={isShared ? ids.join() : 'own'} ids={ids} address={address} isOwn={!isShared} />
      )}
    </div>
  );
}

/** Copies the address of the table: its ids, and none of the names. */
function CopyLink({ ids }: { ids: readonly string[] }) {
  const [outcome, setOutcome] = useState('');
  const copy = async () => {
    if (!fitsAddress(ids)) return setOutcome('Too many sites for a link.');
    try {
      await navigator.clipboard.writeText(new URL(sitesPath({ ids }), location.href).href);
      setOutcome('Copied.');
    } catch {
      setOutcome('The browser does not permit it.');
    }
  };
  return (
    <>
      <button type="button" className="quiet" onClick={copy} onBlur={() => setOutcome('')}>
        Copy link
      </button>
      <span role="status" className="absent">
        {outcome}
      </span>
    </>
  );
}
