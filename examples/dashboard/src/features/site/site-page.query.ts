import { graphql } from '../../generated/gql.ts';

/** The card comes first: the relations cost a REST call of their own, for which the card does not wait. */
export const sitePageQuery = graphql(`
  query SitePage($id: ID!) {
    site(id: $id) {
      id
      address1
      businessName
      ...SiteCard
      ...SiteRelations @defer
    }
  }
`);

/** The same, again whenever it changes. */
export const sitePageLive = graphql(`
  subscription SitePageLive($id: ID!) {
    live {
      site(id: $id) {
        id
        address1
        businessName
        ...SiteCard
        ...SiteRelations
      }
    }
  }
`);
