import { createSessionStore, type Store, useStore } from '../../store.ts';
import type { Plan } from '../types.ts';
import { callsText, forecastOf, numberIn, secondsRange, viewersRange, viewingFrom } from './forecast.ts';

const secondsText = createSessionStore('forecast-seconds', '5');
const viewersText = createSessionStore('forecast-viewers', '200');

/** The REST calls in a minute if many viewers look at the planned operation. */
export function ForecastView({ plan }: { plan: Plan }) {
  const { live } = plan;
  const typedSeconds = useStore(secondsText);
  // The document of a live query has the interval.
  const viewing = viewingFrom(live ? `${live.everySeconds}` : typedSeconds, useStore(viewersText));
  const forecast = viewing && forecastOf(plan, viewing);
  return (
    <details className="portico-forecast">
      <summary>Forecast</summary>
      <p>
        <NumberField name="viewers" store={viewersText} range={viewersRange} /> viewers, every{' '}
        {live ? (
          live.everySeconds
        ) : (
          <NumberField name="every, in seconds" store={secondsText} range={secondsRange} />
        )}{' '}
        s: REST calls in a minute
      </p>
      <p aria-live="polite" aria-atomic="true" id="forecast-note">
        {forecast ? (
          <>
            <strong>{callsText(forecast.alone)}</strong> without,{' '}
            <strong>{callsText(forecast.gateway)}</strong> with the gateway
            {forecast.live ? (
              <>
                , <strong>{callsText(forecast.live)}</strong> as a live query
              </>
            ) : null}
            .
          </>
        ) : (
          rangeText
        )}
      </p>
    </details>
  );
}

const rangeText = `Enter ${secondsRange.min} to ${secondsRange.max.toLocaleString('en')} seconds, and ${viewersRange.min} to ${viewersRange.max.toLocaleString('en')} viewers.`;

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
