import { gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { writeManifest } from '../support/manifest.ts';
import { sendSite, startUpstream } from '../support/upstream.ts';
import { createApollo, untyped } from './apollo.ts';

const first = '{ site(id: "SITE-1") { id } }';
const second = '{ site(id: "SITE-2") { id } }';

/** How a request identifies its document. */
type Sent = '' | 'hash' | 'text' | 'text and hash';

/** The id of a document: any text will do. */
const idOf = (text: string) => (text.includes('SITE-1') ? 'one' : 'two');

/** Records how a request identifies its document, in its body or its URL. */
function noting(sent: Sent[]): typeof fetch {
  return (input, init) => {
    const body: { query?: string; extensions?: unknown } =
      init?.method === 'POST'
        ? JSON.parse(String(init.body))
        : Object.fromEntries(new URL(String(input)).searchParams);
    const hasHash = JSON.stringify(body.extensions ?? '').includes('sha256Hash');
    if (body.query == null) sent.push(hasHash ? 'hash' : '');
    else sent.push(hasHash ? 'text and hash' : 'text');
    return fetch(input, init);
  };
}

function openApollo(url: string) {
  const sent: Sent[] = [];
  const client = createApollo(url, { link: new PersistedQueryLink({ sha256: idOf }), fetch: noting(sent) });
  return {
    /** One entry per request. */
    sent,
    async run(text: string) {
      // Without the cache, so that each operation is a request.
      const { data, error } = await client.query({
        query: gql(text),
        fetchPolicy: 'no-cache',
        errorPolicy: 'all',
      });
      return { data: untyped(data), error };
    },
  };
}

async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startUpstream(sendSite);
  return { upstream, gateway: await startGateway(upstream.url, env) };
}

describe('Apollo Client with automatic persisted queries', () => {
  const data = (id: string) => ({ data: { site: { id } }, error: undefined });

  it('sends only texts from its second request on, where the gateway has no documents', async () => {
    const { upstream, gateway } = await start();
    const { run, sent } = openApollo(gateway.url);
    expect(await run(first)).toEqual(data('SITE-1'));
    expect(await run(second)).toEqual(data('SITE-2'));
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2']);
    expect(sent).toEqual(['hash', 'text', 'text']);
  });

  it('sends the text of a document that the manifest lacks, then hashes again', async () => {
    const { path } = await writeManifest({ one: first });
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS: path });
    const { run, sent } = openApollo(gateway.url);
    expect(await run(second)).toEqual(data('SITE-2'));
    expect(await run(first)).toEqual(data('SITE-1'));
    expect(upstream.paths()).toEqual(['/v1/site/SITE-2', '/v1/site/SITE-1']);
    expect(sent).toEqual(['hash', 'text and hash', 'hash']);
  });

  it('sends no text where only the manifest is executed', async () => {
    const { path } = await writeManifest({ one: first });
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: 'on' });
    const { run, sent } = openApollo(gateway.url);
    expect((await run(second)).error?.message).toContain('No document has this id.');
    expect(await run(first)).toEqual(data('SITE-1'));
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
    expect(sent).toEqual(['hash', 'hash']);
  });
});
