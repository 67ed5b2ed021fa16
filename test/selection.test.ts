import { expect, it } from 'vitest';
import { postQuery, startBoth } from './support/gateway.ts';

it('requests the relations that the variables of each request include', async () => {
  const { upstream, gateway } = await startBoth();
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
