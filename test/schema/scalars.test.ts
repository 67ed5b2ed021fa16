import { expect, it } from 'vitest';
import { postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

const dateTimes = [
  '2026-03-02T14:05:00Z',
  '2026-03-02t14:05:00z',
  '2026-03-02 14:05:00Z',
  '2016-12-31T23:59:60Z',
  '2026-03-02T14:05:00.1234567890123Z',
  '2026-03-02T14:05:00+05:30',
  '2026-03-02T14:05:00.5-11:00',
  '2026-03-02T14:05:00-00:00',
  '2024-02-29T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
];
const malformedDateTimes = [
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
];
const dates = ['2026-03-02', '2024-02-29', '0001-01-01'];
const malformedDates = ['', '2026-03-02T00:00:00Z', '2026-02-30', '2026-04-31', '02/03/2026', '20260302'];

/** The responses to one query of a site, in each of which the REST API has another of these values. */
async function responsesTo(selection: string, fields: readonly object[]) {
  let field = 0;
  const upstream = await startUpstream((_, res) => {
    sendJson(res, { ...bareSite('SITE-1'), ...fields[field] });
    field += 1;
  });
  const gateway = await startGateway(upstream.url);
  const responses = [];
  for (const _ of fields) responses.push(await postQuery(gateway.url, `{ site(id: "SITE-1") ${selection} }`));
  return responses;
}

it('returns a DateTime unchanged, and an error at the path of a malformed one', async () => {
  const updatedAt = '2026-03-02T14:05:00Z';
  const texts = [...dateTimes, ...malformedDateTimes];
  const responses = await responsesTo(
    '{ createdAt updatedAt }',
    texts.map((createdAt) => ({ createdAt, updatedAt })),
  );
  expect(responses.map(({ data }) => data?.site)).toEqual([
    ...dateTimes.map((createdAt) => ({ createdAt, updatedAt })),
    ...malformedDateTimes.map(() => ({ createdAt: null, updatedAt })),
  ]);
  const error = {
    message: 'The REST API sent an invalid response: a value is not a date and time of RFC 3339.',
    path: ['site', 'createdAt'],
    locations: expect.any(Array),
    extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
  };
  expect(responses.map(({ errors }) => errors)).toEqual([
    ...dateTimes.map(() => undefined),
    ...malformedDateTimes.map(() => [error]),
  ]);
});

it('returns a Date unchanged, and an error at the path of a malformed one', async () => {
  const [response] = await responsesTo('{ projects { signingDate } }', [
    { projects: [...dates, ...malformedDates].map((signingDate) => ({ signingDate })) },
  ]);
  const texts = [...dates, ...malformedDates.map(() => null)];
  expect(response?.data?.site).toEqual({ projects: texts.map((signingDate) => ({ signingDate })) });
  expect(response?.errors).toMatchObject(
    malformedDates.map((_, index) => ({
      path: ['site', 'projects', dates.length + index, 'signingDate'],
      extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
    })),
  );
});
