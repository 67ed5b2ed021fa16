import { graphql } from '../../generated/gql.ts';

/** What the table shows of sites. */
export const sitesPageQuery = graphql(`
  query SitesPage($ids: [ID!]!) {
    sites(ids: $ids) {
      ...SiteRow
    }
  }
`);

/** The same, again whenever it changes. */
export const sitesPageLive = graphql(`
  subscription SitesPageLive($ids: [ID!]!) {
    live {
      sites(ids: $ids) {
        ...SiteRow
      }
    }
  }
`);
