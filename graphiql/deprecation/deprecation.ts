import { createStore } from '../store.ts';

/** The end of the REST API as it announces it: times in ISO 8601. Null: not announced. */
interface Deprecation {
  since: string | null;
  sunset: string | null;
}

/** The announcement of the latest response that has one. It stays: a later operation may make no REST call. */
export const deprecation = createStore<Deprecation | undefined>(undefined);

/** Shows the deprecation in a response, if it has one. */
export function noteDeprecation(headers: Headers): void {
  deprecation.set(deprecationFrom(headers) ?? deprecation.get());
}

/** Reads `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), as the gateway writes them. */
export function deprecationFrom(headers: Headers): Deprecation | undefined {
  const [, seconds] = /^@(\d{1,12})$/.exec(headers.get('deprecation') ?? '') ?? [];
  const since = timeFrom(Number(seconds) * 1000);
  const sunset = timeFrom(Date.parse(headers.get('sunset') ?? ''));
  return since === null && sunset === null ? undefined : { since, sunset };
}

function timeFrom(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The sentence of the banner, with days of UTC. */
export function deprecationText({ since, sunset }: Deprecation, now: number): string {
  const say = (time: string | null, past: string, future: string) =>
    time === null ? [] : [`${Date.parse(time) <= now ? past : future} ${day.format(new Date(time))}`];
  const facts = [
    ...say(since, 'is deprecated since', 'will be deprecated on'),
    ...say(sunset, 'ended on', 'ends on'),
  ];
  return `The REST API behind this gateway ${facts.join(' and ')}.`;
}
