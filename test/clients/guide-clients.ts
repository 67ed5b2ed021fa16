import type { ApolloClient, TypedDocumentNode } from '@apollo/client';
import { print } from 'graphql';
import type { Client } from 'urql';
import { apiKey } from '../support/gateway.ts';
import { codeOf, type Guide } from './guide.ts';
import { untyped } from './untyped.ts';

/** The result of an operation as an application gets it, without the type names that caches select. */
export interface Outcome {
  data: unknown;
  errors: readonly { extensions?: { code?: unknown } }[];
}

interface GuideClient {
  /** Sends `siteCard`, and yields each state of its result; the last one is complete. */
  siteCard(id: string): Promise<Outcome[]>;
  /** The keys of what its cache stores by itself, if they are known. */
  stored?(): string[];
}

type Document = TypedDocumentNode<unknown, { id: string }>;
export type Portico = { url: string; apiKey: string };
type OpenClient = (guide: Guide, url: string, trusted?: boolean) => Promise<GuideClient>;

async function siteCardOf(guide: Guide): Promise<Document> {
  const { siteCard } = await guide.load<Record<string, Document>>('src/documents.ts');
  if (!siteCard) throw new Error('The page has no siteCard.');
  return siteCard;
}

type Request<First> = (first: First, document: Document, variables: { id: string }) => Promise<Outcome>;

/** A client of a function that returns one complete response. */
const requesting = (
  send: (document: Document, variables: { id: string }) => Promise<Outcome>,
  document: Document,
) => ({
  async siteCard(id: string) {
    const { data, errors } = await send(document, { id });
    return [{ data: untyped(data), errors }];
  },
});

const openFetch: OpenClient = async (guide, url, trusted = false) => {
  const { request } = await guide.load<{ request: Request<Portico & { trusted: boolean }> }>(
    'src/portico.ts',
  );
  return requesting((...args) => request({ url, apiKey, trusted }, ...args), await siteCardOf(guide));
};

const openGraphqlRequest: OpenClient = async (guide, url) => {
  const { createClient } = await guide.load<{
    createClient(portico: Portico): {
      rawRequest(text: string, variables: object): Promise<{ data: unknown; errors?: Outcome['errors'] }>;
    };
  }>('src/graphql-request.ts');
  const client = createClient({ url, apiKey });
  const send = async (document: Document, variables: object): Promise<Outcome> => {
    const { data, errors = [] } = await client
      .rawRequest(print(document), variables)
      .catch(({ response }) => ({ data: null, errors: response.errors }));
    return { data, errors };
  };
  return requesting(send, await siteCardOf(guide));
};

const openUrql: OpenClient = async (guide, url, trusted = false) => {
  const { createClient } = await guide.load<{
    createClient(portico: Portico, options: { trusted: boolean }): Client;
  }>('src/urql.ts');
  const client = createClient({ url, apiKey }, { trusted });
  const document = await siteCardOf(guide);
  return {
    siteCard: (id) =>
      new Promise((resolve) => {
        const states: Outcome[] = [];
        client.query(document, { id }).subscribe(({ data, error, hasNext }) => {
          states.push({ data: untyped(data), errors: (error?.graphQLErrors ?? []) as Outcome['errors'] });
          if (!hasNext) resolve(states);
        });
      }),
  };
};

/** `path`: the file that creates the client. */
const openApollo =
  (path: string): OpenClient =>
  async (guide, url, trusted = false) => {
    const { createClient, errorsOf } = await guide.load<{
      createClient(portico: Portico, options: { trusted: boolean }): ApolloClient;
      errorsOf(result: { error?: unknown }): Outcome['errors'];
    }>(path);
    const client = createClient({ url, apiKey }, { trusted });
    const query = await siteCardOf(guide);
    return {
      siteCard: (id) =>
        new Promise((resolve) => {
          const states: Outcome[] = [];
          const subscription = client.watchQuery({ query, variables: { id } }).subscribe((result) => {
            if (result.loading && result.dataState === 'empty') return;
            states.push({ data: untyped(result.data), errors: errorsOf(result) });
            if (result.loading) return;
            client.stop();
            resolve(states);
            queueMicrotask(() => subscription.unsubscribe());
          });
        }),
      stored: () =>
        Object.keys(client.extract() as object).filter((key) => key !== 'ROOT_QUERY' && key !== '__META'),
    };
  };

/** The part of Relay that the test uses, which this repository does not install. */
interface Environment {
  getStore(): { getSource(): { get(id: string): object | null | undefined; getRecordIDs(): string[] } };
}
type FetchQuery = (
  environment: Environment,
  query: object,
  variables: object,
) => {
  subscribe(observer: {
    next(): void;
    complete(): void;
    error(error: { source?: { errors: Outcome['errors'] } }): void;
  }): void;
};

const openRelay: OpenClient = async (guide, url) => {
  const { createEnvironment } = await guide.load<{ createEnvironment(portico: Portico): Environment }>(
    'src/relay/environment.ts',
  );
  const { sitePageQuery } = await guide.load<{ sitePageQuery: object }>('src/relay/SitePage.tsx');
  const { fetchQuery } = await guide.load<{ fetchQuery: FetchQuery }>('src/relay/fetch-query.ts');
  const environment = createEnvironment({ url, apiKey });
  const source = environment.getStore().getSource();
  return {
    siteCard: (id) =>
      new Promise((resolve) => {
        const states: Outcome[] = [];
        fetchQuery(environment, sitePageQuery, { id }).subscribe({
          next: () => void states.push({ data: { site: valueIn(source, `Site:${id}`) }, errors: [] }),
          complete: () => resolve(states),
          error: ({ source }) => resolve([...states, { data: null, errors: source?.errors ?? [] }]),
        });
      }),
    stored: () => source.getRecordIDs().filter((id) => !id.startsWith('client:')),
  };
};

/** A record of Relay's store, with the records that it refers to in their places. */
function valueIn(source: { get(id: string): object | null | undefined }, id: string): unknown {
  const fields = Object.entries(source.get(id) ?? {}).filter(([name]) => !name.startsWith('__'));
  const resolved = (value: unknown): unknown => {
    const { __ref: ref, __refs: refs } = (value ?? {}) as { __ref?: string; __refs?: string[] };
    if (ref !== undefined) return valueIn(source, ref);
    return refs ? refs.map((one) => valueIn(source, one)) : value;
  };
  return Object.fromEntries(fields.map(([name, value]) => [name, resolved(value)]));
}

export const clients = {
  fetch: openFetch,
  'graphql-request': openGraphqlRequest,
  urql: openUrql,
  'Apollo Client': openApollo('src/apollo.ts'),
  Relay: openRelay,
};

/** The file of the page with Apollo's other handler, whose type does not fit under `exactOptionalPropertyTypes`. */
export const newerApollo = '// src/newer-apollo.ts\n'.concat(
  codeOf('src/apollo.ts')
    .replaceAll('Defer20220824Handler', 'GraphQL17Alpha9Handler')
    .replace(
      /new GraphQL17Alpha9Handler\(\)/,
      "$& as unknown as NonNullable<ApolloClient.Options['incrementalHandler']>",
    ),
);
export const openNewerApollo = openApollo('src/newer-apollo.ts');
