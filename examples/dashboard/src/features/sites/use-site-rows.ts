import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLiveState } from '../../gateway/live/live-store.ts';
import { type Problem, problemAt } from '../../gateway/problems.ts';
import { useView, type View } from '../../gateway/use-view.ts';
import { readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import type { SiteRowFragment, SitesPageQuery } from '../../generated/graphql.ts';
import { sitesPageLive, sitesPageQuery } from './sites-page.query.ts';

const siteRowFragment = graphql(`
  fragment SiteRow on Site {
    id
    businessName
    address1
    address2
    city
    state
    serviceLevel
    serviceLevelLabel
    cppExpDate
  }
`);

/**
 * What is known of a site. `unread`: the operation failed, of which `retry` is, or the response does not list why the
 * site is absent.
 */
export type SiteOutcome =
  | { state: 'loaded'; site: SiteRowFragment }
  | { state: 'absent' }
  | { state: 'failed'; problem: Problem }
  | { state: 'unread'; retry: Problem['retry'] };

export interface SiteRows {
  /** An id without an outcome is on its way. */
  outcomes: ReadonlyMap<string, SiteOutcome>;
  /** Its `reload` reads all shown rows again. */
  view: View<unknown>;
  /** That of the whole operation. */
  problem: Problem | undefined;
  /** Reads some rows again; without ids those that failed. */
  retry(ids?: readonly string[]): void;
}

type Outcomes = ReadonlyMap<string, SiteOutcome>;

/** What one visit has read, so that a page of the table that is opened again costs nothing. */
let readBefore: Outcomes = new Map();

const hasFailed = (outcome: SiteOutcome | undefined) =>
  outcome?.state === 'failed' || outcome?.state === 'unread';

/** Reads those of the shown sites that were not read before: a REST call for each, in one operation. */
export function useSiteRows(shown: readonly string[]): SiteRows {
  const { isOn } = useLiveState();
  // A failure is read again where the page is opened again.
  const [known, setKnown] = useState<Outcomes>(() =>
    isOn ? new Map() : new Map([...readBefore].filter(([, outcome]) => !hasFailed(outcome))),
  );
  const [wasLive, setWasLive] = useState(isOn);
  if (isOn !== wasLive) {
    setWasLive(isOn);
    // After live data, what was read before is too old.
    if (!isOn) setKnown(new Map());
  }
  const missing = shown.filter((id) => !known.has(id));
  const [requested, setRequested] = useState<readonly string[]>(missing);
  if (!isOn && missing.some((id) => !requested.includes(id))) setRequested(missing);

  const ids = isOn ? shown : requested;
  const retryFailed = useRef(() => {});
  const retry = useCallback(() => retryFailed.current(), []);
  const variables = useMemo(() => ({ ids: [...ids] }), [ids]);
  const view = useView({ query: sitesPageQuery, live: sitesPageLive }, variables, {
    isPaused: ids.length === 0,
    isFresh: true,
    retry,
  });

  const { data, problems, report, variables: read } = view;
  const received = useMemo(
    () => outcomesFrom({ data, problems, report, variables: read }, ids),
    [data, problems, report, read, ids],
  );
  const isSettled = !isOn && !view.isLoading && !view.isReloading;
  useEffect(() => {
    if (isSettled && received) setKnown((before) => new Map([...before, ...received]));
  }, [isSettled, received]);
  useEffect(() => {
    readBefore = known;
  }, [known]);

  const readAgain = (again: readonly string[]) => {
    if (isOn || isSame(again, requested)) return view.reload();
    setKnown((before) => new Map([...before].filter(([id]) => !again.includes(id))));
    setRequested(again);
  };
  const failed = shown.filter((id) => hasFailed(known.get(id)));
  retryFailed.current = () => readAgain(failed.length > 0 ? failed : requested);

  const outcomes = isOn ? new Map([...known, ...(received ?? [])]) : known;
  return {
    outcomes,
    view: { ...view, reload: () => readAgain(shown) },
    problem: isOfVariables(view, ids) && view.data === undefined ? problemAt(view.problems) : undefined,
    retry: (some) => (some ? readAgain(some) : retryFailed.current()),
  };
}

type Read = Pick<View<SitesPageQuery>, 'data' | 'problems' | 'report' | 'variables'>;

/** Undefined while the view has no result for these ids. */
function outcomesFrom(view: Read, ids: readonly string[]): Outcomes | undefined {
  const { data, problems, report } = view;
  if (!isOfVariables(view, ids)) return undefined;
  if (!data && problems.length === 0) return undefined;
  const { retry = 'manual' } = (!data && problemAt(problems)) || {};
  return new Map(
    ids.map((id, index): [string, SiteOutcome] => {
      const row = data?.sites[index];
      if (row) return [id, { state: 'loaded', site: readFragment(siteRowFragment, row) }];
      const problem = data && problemAt(problems, 'sites', index);
      if (problem) return [id, { state: 'failed', problem }];
      return [id, data && report.omittedErrors === 0 ? { state: 'absent' } : { state: 'unread', retry }];
    }),
  );
}

function isOfVariables({ variables }: Pick<Read, 'variables'>, ids: readonly string[]): boolean {
  const { ids: read } = (variables ?? {}) as { ids?: readonly string[] };
  return read !== undefined && isSame(read, ids);
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((id, index) => id === others[index]);
