import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/plan/arguments.ts';
import { noArguments } from './plan-in.ts';

const viewing = { viewers: 200, everyMs: 5_000, latencyMs: 90, limitPerMinute: 6_000 };

it.each<[string, object]>([
  [
    'plan a.graphql --operation A b.json --variables={"id":"SITE-1"} --max-calls 7 --json',
    {
      ...{ files: ['a.graphql', 'b.json'], variables: { id: 'SITE-1' } },
      ...{ operationName: 'A', maxCalls: 7, isJson: true },
    },
  ],
  ['plan src --against b.json --max-increase 0', { files: ['src'], against: 'b.json', maxIncrease: 0 }],
  ['plan a --viewers 200 --every 5s --latency 90ms --limit 1000/10s', { files: ['a'], viewing }],
  [
    'plan a --viewers 200 --every 1m',
    { files: ['a'], viewing: { ...viewing, everyMs: 60_000, latencyMs: 200, limitPerMinute: undefined } },
  ],
])('reads `portico %s`', (line, expected) => {
  const request = invocationFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual({ ...noArguments, ...expected });
});
