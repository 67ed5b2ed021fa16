import { expect, it } from 'vitest';
import { postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

async function responseTo(fields: object, selection: string) {
  const upstream = await startUpstream((_, res) => sendJson(res, { ...bareSite('SITE-1'), ...fields }));
  const gateway = await startGateway(upstream.url);
  const response = await postQuery(gateway.url, `{ site(id: "SITE-1") { id ${selection} } }`);
  expect(upstream.requests).toHaveLength(1);
  return response;
}

it.each([
  '2026-03-02T14:05:00Z',
  '2026-03-02t14:05:00z',
  '2026-03-02T14:05:00.000Z',
  '2026-03-02T14:05:00.1234567890123Z',
  '2026-03-02T14:05:00+05:30',
  '2026-03-02T14:05:00.5-11:00',
  '2026-03-02T14:05:00-00:00',
  '2024-02-29T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
])('returns the DateTime %s unchanged', async (createdAt) => {
  const { data, errors } = await responseTo({ createdAt }, 'createdAt');
  expect(data?.site).toEqual({ id: 'SITE-1', createdAt });
  expect(errors).toBeUndefined();
});

it.each([
  '',
  '2026-03-02',
  '2026-03-02T14:05:00',
  '2026-03-02 14:05:00',
  '2026-03-02T14:05Z',
  '2026-3-2T14:05:00Z',
  '2026-02-30T14:05:00Z',
  '2026-13-01T14:05:00Z',
  '2026-03-02T24:05:00Z',
  '2026-03-02T14:05:00+0530',
  ' 2026-03-02T14:05:00Z',
  '2026-03-02T14:05:00Z\n',
  '1772460300',
  'canary',
])('returns an error at the path of the malformed DateTime %j, and the other fields', async (createdAt) => {
  const updatedAt = '2026-03-02T14:05:00Z';
  const response = await responseTo({ createdAt, updatedAt }, 'createdAt updatedAt');
  expect(response).toMatchObject({
    status: 200,
    data: { site: { id: 'SITE-1', createdAt: null, updatedAt } },
  });
  expect(response.errors).toEqual([
    {
      message: 'The REST API sent an invalid response: a value is not a date and time of RFC 3339.',
      path: ['site', 'createdAt'],
      locations: expect.any(Array),
      extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
    },
  ]);
});

it.each(['2026-03-02', '2024-02-29', '0001-01-01'])('returns the Date %s unchanged', async (signingDate) => {
  const { data, errors } = await responseTo({ projects: [{ signingDate }] }, 'projects { signingDate }');
  expect(data?.site).toEqual({ id: 'SITE-1', projects: [{ signingDate }] });
  expect(errors).toBeUndefined();
});

it.each(['', '2026-03-02T00:00:00Z', '2026-02-29', '02/03/2026', '20260302', '2026-03-02 '])(
  'returns an error at the path of the malformed Date %j, and the other fields',
  async (signingDate) => {
    const projects = [
      { name: 'a', signingDate: '2026-03-02' },
      { name: 'b', signingDate },
    ];
    const response = await responseTo({ projects }, 'projects { name signingDate }');
    expect(response.data?.site).toEqual({
      id: 'SITE-1',
      projects: [projects[0], { name: 'b', signingDate: null }],
    });
    expect(response.errors).toMatchObject([
      { path: ['site', 'projects', 1, 'signingDate'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
  },
);
