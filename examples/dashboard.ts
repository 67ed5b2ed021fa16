/**
 * Reads a dashboard in one request, typed from the schema. With a running gateway: `npx tsx examples/dashboard.ts`.
 * Copy `examples/generated` too, or generate it from `schema.graphql` with GraphQL Code Generator.
 */
import { pathToFileURL } from 'node:url';
import { print } from 'graphql';
import { graphql } from './generated/gql.ts';
import type { DashboardCardsQuery } from './generated/graphql.ts';

const dashboardCards = graphql(`
  query DashboardCards($site: ID!, $conversation: ID!) {
    site(id: $site) {
      ...Card
      projects {
        name
        stage
        estimatedDay1
      }
    }
    conversationContext(id: $conversation) {
      subject
      status
      messages(last: 1) {
        author
        text
      }
      sites {
        site {
          ...Card
        }
      }
    }
  }

  fragment Card on Site {
    id
    address1
    city
    serviceLevelLabel
    primaryClient {
      name
    }
  }
`);

/** Reads two views at once. A field that failed is null, and `problems` has its error. */
export async function readDashboard(
  endpoint: string,
  apiKey: string,
  variables: { site: string; conversation: string },
): Promise<{ data: DashboardCardsQuery; problems: string[] }> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ query: print(dashboardCards), variables }),
  });
  const { data, errors = [] } = (await response.json()) as {
    data?: DashboardCardsQuery;
    errors?: { message: string; path?: string[] }[];
  };
  const problems = errors.map(({ message, path }) => `${path?.join('.') ?? 'request'}: ${message}`);
  if (!data) throw new Error(problems.join('\n'));
  return { data, problems };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { data, problems } = await readDashboard(
    process.env.PORTICO_URL ?? 'http://127.0.0.1:4000/graphql',
    process.env.PORTICO_API_KEY ?? 'demo-acme-key-000000000000',
    { site: 'SITE-1001', conversation: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00' },
  );
  console.log(JSON.stringify(data, null, 2));
  for (const problem of problems) console.error(problem);
}
