import { useMemo, useRef } from 'react';
import { Link } from '../../navigation/link.tsx';
import { navigate, replaceAddress, useMark, useSearch } from '../../navigation/route.ts';
import { sitePrefix } from '../../navigation/site-prefix.ts';
import { fitsAddress, readSitesAddress, sitesPath } from '../../navigation/sites-address.ts';
import { formatCount } from '../../ui/format.ts';
import { useTitle } from '../../ui/use-title.ts';
import { PasteForm } from './paste-form.tsx';
import { siteFrom } from './pasted.ts';
import { addSites, getSiteList, removeAllSites, useSiteList } from './site-list.ts';
import { SitesSection } from './sites-section.tsx';
import '../../ui/notice.css';
import './sites.css';

/** Marks an entry in the history with the own list, as it is when the entry is shown. */
const OWN = 'own-sites';

/** Sites in one table: those that are kept in this browser, or those of a link. */
export function SitesPage() {
  const list = useSiteList();
  const search = useSearch();
  const address = useMemo(() => readSitesAddress(search), [search]);
  const linked = useMemo(() => idsOf(address.ids), [address]);
  // An address that the page wrote may name ids that the list has no more.
  const isMarked = useMark() === OWN;
  const isOwn = isMarked || linked.ids.length === 0 || isSameSet(linked.ids, list.ids);
  const ids = isOwn ? list.ids : linked.ids;
  const heading = useRef<HTMLHeadingElement>(null);
  const title = isOwn ? 'My sites' : 'Sites of a link';
  useTitle(title);

  /** The address of the list as it is kept now, also where too long a one leaves only the browser to keep it. */
  const ownPath = (page = 1) => {
    const { ids: kept } = getSiteList();
    return sitesPath({ ids: fitsAddress(kept) ? kept : [], page, sort: address.sort });
  };
  const showOwn = (page?: number) => replaceAddress(ownPath(page), OWN);
  const clear = () => {
    removeAllSites();
    showOwn();
    heading.current?.focus();
  };
  const keepLinked = () => {
    addSites(linked.ids);
    navigate(ownPath(), OWN);
    heading.current?.focus();
  };

  return (
    <div className="sites-page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p className="lead">
          The REST API has no list of sites: it gives a site only by its id. So paste the ids that you have.
          The list is kept in this browser.
        </p>
      </header>
      {!isOwn && (
        <div className="notice sites-note">
          <p>
            These {formatCount(ids.length, 'site')} come from a link.{' '}
            {list.ids.length > 0 && `Your own list has ${formatCount(list.ids.length, 'site')}.`}
          </p>
          <div className="sites-note-actions">
            <button type="button" onClick={keepLinked}>
              Add to my sites
            </button>
            <Link to="/sites">My sites</Link>
          </div>
        </div>
      )}
      {linked.rejected > 0 && (
        <p className="notice sites-note" role="status">
          {formatCount(linked.rejected, 'id')} of the link {linked.rejected === 1 ? 'is' : 'are'} not of a
          site.
        </p>
      )}
      {isOwn && <PasteForm onAdded={showOwn} />}
      {ids.length > 0 && (
        <SitesSection
          // With other sites the pages have other rows.
          key={isOwn ? 'own' : ids.join()}
          ids={ids}
          address={address}
          isOwn={isOwn}
          mark={isOwn ? OWN : undefined}
          onRemoved={showOwn}
          onClear={clear}
        />
      )}
    </div>
  );
}

/** The sites of an address, each once, and how many ids of it are no site's. */
function idsOf(texts: readonly string[]): { ids: readonly string[]; rejected: number } {
  const read = texts.map((text) => siteFrom(text, sitePrefix));
  const ids = read.filter((id) => id !== undefined);
  return { ids: [...new Set(ids)], rejected: read.length - ids.length };
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const set = new Set(others);
  return some.length === set.size && some.every((id) => set.has(id));
}
