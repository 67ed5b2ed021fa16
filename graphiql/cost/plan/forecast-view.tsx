import { createSessionStore, type Store, useStore } from '../../store.ts';
import { lastRun } from '../report/report.ts';
import { durationText } from '../report/waterfall.ts';
import type { Plan } from '../types.ts';
import {
  callsText,
  forecastOf,
  type Latency,
  latencyOf,
  numberIn,
  secondsRange,
  viewersRange,
  viewingFrom,
} from './forecast.ts';

const secondsText = createSessionStore('forecast-seconds', '5');
const viewersText = createSessionStore('forecast-viewers', '200');

/** The REST calls in a minute if many viewers look at the planned operation. */
export function ForecastView({ plan, isOld }: { plan: Plan; isOld: boolean }) {
  const { live } = plan;
  const typedSeconds = useStore(secondsText);
  const latency = latencyOf(useStore(lastRun));
  // The document of a live query has the interval.
  const viewing = viewingFrom(live ? `${live.everySeconds}` : typedSeconds, useStore(viewersText));
  const forecast = viewing && forecastOf(plan, viewing, latency.ms);
  const text = (name: 'alone' | 'gateway' | 'live') => (forecast?.[name] ? callsText(forecast[name]) : '–');
  return (
    <section className="portico-forecast" aria-label="Forecast">
      <p>
        every{' '}
        {live ? (
          live.everySeconds
        ) : (
          <NumberField name="every, in seconds" store={secondsText} range={secondsRange} />
        )}{' '}
        s, <NumberField name="viewers" store={viewersText} range={viewersRange} /> viewers:{' '}
        <span className="portico-unbroken">REST calls in a minute</span>
      </p>
      <dl aria-live="polite" aria-atomic="true" className={isOld ? 'portico-old' : ''}>
        <dt>alone</dt>
        <dd>{text('alone')}</dd>
        <dt>through the gateway</dt>
        <dd>{text('gateway')}</dd>
        {live ? <dt>as a live query</dt> : null}
        {live ? <dd>{text('live')}</dd> : null}
      </dl>
      <p id="forecast-note" className="portico-note">
        {forecast ? latencyText(latency) : rangeText}
      </p>
    </section>
  );
}

const rangeText = `Enter ${secondsRange.min} to ${secondsRange.max.toLocaleString('en')} seconds, and ${viewersRange.min} to ${viewersRange.max.toLocaleString('en')} viewers.`;

function latencyText({ ms, isMeasured }: Latency): string {
  return isMeasured
    ? `If a call takes ${durationText(ms)}, as the slowest one of the last run.`
    : `If a call takes ${durationText(ms)}: a run with a report measures it.`;
}

interface NumberFieldProps {
  name: string;
  store: Store<string>;
  range: { min: number; max: number };
}

function NumberField({ name, store, range }: NumberFieldProps) {
  const text = useStore(store);
  return (
    <input
      type="number"
      aria-label={name}
      aria-describedby="forecast-note"
      aria-invalid={Number.isNaN(numberIn(text, range))}
      {...range}
      step={range === secondsRange ? 'any' : 1}
      value={text}
      onChange={(event) => store.set(event.currentTarget.value)}
    />
  );
}
