/**
 * Sends the id of a document instead of its text. With a gateway that runs with
 * `TRUSTED_DOCUMENTS=examples/generated/persisted-documents.json`, the generated manifest: `npx tsx examples/trusted.ts`.
 */
import { pathToFileURL } from 'node:url';
import { graphql } from './generated/gql.ts';
import type { SiteCardQuery, SiteCardQueryVariables } from './generated/graphql.ts';

const siteCard = graphql(`
  query SiteCard($site: ID!) {
    site(id: $site) {
      id
      city
      serviceLevelLabel
    }
  }
`);

/** The id of a generated document; absent without the option `persistedDocuments`. */
function idOf(document: object): string {
  const { hash } = '__meta__' in document ? (document.__meta__ as { hash?: unknown }) : {};
  if (typeof hash !== 'string') throw new Error('Generated without persistedDocuments.');
  return hash;
}

/** Reads a site by the id of the document. */
export async function readSiteCard(
  endpoint: string,
  apiKey: string,
  variables: SiteCardQueryVariables,
): Promise<SiteCardQuery> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ documentId: idOf(siteCard), variables }),
  });
  const { data, errors = [] } = (await response.json()) as {
    data?: SiteCardQuery;
    errors?: { message: string }[];
  };
  if (!data) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const data = await readSiteCard(
    process.env.PORTICO_URL ?? 'http://127.0.0.1:4000/graphql',
    process.env.PORTICO_API_KEY ?? 'demo-acme-key-000000000000',
    { site: 'SITE-1001' },
  );
  console.log(JSON.stringify(data, null, 2));
}
