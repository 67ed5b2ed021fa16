import { expect, it } from 'vitest';
import { startBoth } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { bareSite, sendJson, siteFromPath } from '../../support/upstream.ts';

it('streams a list of sites, each with its own error', async () => {
  const { upstream, gateway } = await startBoth({}, (req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (id.endsWith('F')) sendJson(res, {}, 403);
    else sendJson(res, bareSite(id));
  });
  const { status, parts } = await postForParts(
    gateway.url,
    '{ sites(ids: ["SITE-1", "SITE-2", "SITE-F", "SITE-1"]) @stream(initialCount: 1, label: "rest") { id } }',
  );
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-F']);
  expect(status).toBe(200);
  expect(parts[0]).toEqual({ data: { sites: [{ id: 'SITE-1' }] }, hasNext: true });
  const later = parts.slice(1).flatMap((part) => part.incremental ?? []);
  expect(later.map(({ path, items }) => [path, items])).toEqual([
    [['sites', 1], [{ id: 'SITE-2' }]],
    [['sites', 2], [null]],
    [['sites', 3], [{ id: 'SITE-1' }]],
  ]);
  expect(later.every(({ label }) => label === 'rest')).toBe(true);
  expect(later.flatMap(({ errors }) => errors ?? [])).toMatchObject([
    { path: ['sites', 2], extensions: { code: 'FORBIDDEN' } },
  ]);
  expect(parts.at(-1)?.hasNext).toBe(false);
});
