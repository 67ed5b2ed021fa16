import { expect, it } from 'vitest';
import { postQuery, startGateway } from './support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from './support/upstream.ts';

async function start() {
  const upstream = await startUpstream((req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    sendJson(res, {
      ...bareSite(id),
      primaryClientId: 'c2',
      ...(include.includes('clients') && { clients: [{ id: 'c1', isPrimary: true }, { id: 'c2' }] }),
      ...(include.includes('projects') && { projects: [{ id: 'p1' }, { id: 'p2', isPrimary: true }] }),
    });
  });
  return { upstream, gateway: await startGateway(upstream.url) };
}

it('requests the relations that the variables of each request include', async () => {
  const { upstream, gateway } = await start();
  const document = `query ($people: Boolean!, $work: Boolean!) {
    site(id: "SITE-1") { id ... @include(if: $people) { clients { id } } projects @skip(if: $work) { id } }
  }`;
  const values = [
    { people: false, work: true },
    { people: true, work: true },
    { people: false, work: false },
    { people: true, work: false },
  ];
  const paths = ['', '?include=clients', '?include=projects', '?include=clients,projects'];
  for (const [n, variables] of [...values, ...values, ...values].entries()) {
    await postQuery(gateway.url, document, { variables });
    expect(upstream.paths()[n]).toBe(`/v1/site/SITE-1${paths[n % values.length]}`);
  }
});

it('merges all fields of a site into one call with the union of their relations', async () => {
  const { upstream, gateway } = await start();
  const { data } = await postQuery(
    gateway.url,
    `query ($no: Boolean = false) {
      a: site(id: "SITE-1") { ...Projects people: clients { id } }
      b: site(id: "SITE-1") { id clients @include(if: $no) { id } }
      sites(ids: ["SITE-1", "SITE-2", "SITE-1"]) { id ... on Site @skip(if: true) { projects { id } } }
    }
    fragment Projects on Site { ... { primaryProject { id } } }`,
  );
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1?include=clients,projects', '/v1/site/SITE-2']);
  expect(data).toEqual({
    a: { primaryProject: { id: 'p2' }, people: [{ id: 'c1' }, { id: 'c2' }] },
    b: { id: 'SITE-1' },
    sites: [{ id: 'SITE-1' }, { id: 'SITE-2' }, { id: 'SITE-1' }],
  });
});
