import { useView } from '../../gateway/use-view.ts';
import { useRemember } from '../../navigation/recent.ts';
import { sitePath } from '../../navigation/route.ts';
import { ViewPage } from '../../states/view-page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SiteCard } from './site-card.tsx';
import { sitePageLive, sitePageQuery } from './site-page.query.ts';
import { SiteRelations } from './site-relations.tsx';
import './site.css';

/** A site: its card, its clients and its projects. */
export function SitePage({ id }: { id: string }) {
  const view = useView({ query: sitePageQuery, live: sitePageLive }, { id });
  const title = view.data?.site?.businessName || view.data?.site?.address1 || id;
  useRemember(sitePath(id), id, view.data?.site && title);
  return (
    <ViewPage
      view={view}
      field="site"
      item={view.data?.site}
      what="Site"
      id={id}
      skeleton={<Skeleton lines={6} label="Loading the site" />}
    >
      {(site) => (
        <div className="site-page stack">
          <title>{`${title} · Partner dashboard`}</title>
          <SiteCard site={site} heading="h1" />
          <SiteRelations site={site} view={view} />
        </div>
      )}
    </ViewPage>
  );
}
