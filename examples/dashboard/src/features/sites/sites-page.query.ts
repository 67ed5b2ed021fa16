import { graphql } from '../../generated/gql.ts';

export const siteRowFragment = graphql(`
  fragment SiteRow on Site {
    id
    businessName
    address1
    address2
    city
    state
    serviceLevel
    serviceLevelLabel
    cppExpDate
  }
`);

/** The columns of the table of sites. */
export const sitesPageQuery = graphql(`
  query SitesPage($ids: [ID!]!) {
    sites(ids: $ids) {
      id
      ...SiteRow
    }
  }
`);

/** The same, again whenever it changes. */
export const sitesPageLive = graphql(`
  subscription SitesPageLive($ids: [ID!]!) {
    live {
      sites(ids: $ids) {
        id
        ...SiteRow
      }
    }
  }
`);
