import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as dashboard from '../../examples/dashboard/src/gateway/live/heartbeats.ts';
import * as graphiql from '../../graphiql/request/heartbeats.ts';

const heartbeat = (ageSeconds: number) => `:{"ageSeconds":${ageSeconds},"intervals":${ageSeconds + 1}}\n\n`;
const event = (text: string) => `event: next\ndata: ${JSON.stringify(text)}\n\n`;

it.each(Object.entries({ graphiql, dashboard }))(
  '%s reads the last heartbeat of each chunk, wherever a stream is cut into chunks',
  (_, { createHeartbeatReader }) => {
    const part = fc.oneof(
      fc.nat(100).map(heartbeat),
      fc.string({ unit: 'binary', maxLength: 200 }).map(event),
      // A text that looks like one is none inside of an event.
      fc.nat(100).map((age) => event(heartbeat(age))),
      fc.constant(':\n\n'),
    );
    const cuts = fc.array(fc.nat(400), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(part), cuts, (parts, at) => {
        const bytes = new TextEncoder().encode(parts.join(''));
        const read = createHeartbeatReader();
        const ends = [...at, bytes.length].sort((a, b) => a - b);
        const found = ends.map((end, n) => read(bytes.subarray(ends[n - 1] ?? 0, end)));
        const all = parts.flatMap((text) => /^:\{"ageSeconds":(\d+)/.exec(text)?.[1] ?? []).map(Number);
        const ages = found.flatMap((one) => one?.ageSeconds ?? []);
        expect(ages.at(-1)).toBe(all.at(-1));
        // None twice, and none that was not sent.
        let from = 0;
        for (const age of ages) {
          from = all.indexOf(age, from) + 1;
          expect(from).toBeGreaterThan(0);
        }
        for (const one of found) if (one) expect(one.intervals).toBe(one.ageSeconds + 1);
      }),
    );
  },
);
