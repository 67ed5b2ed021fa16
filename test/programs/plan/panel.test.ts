import { expect, it } from 'vitest';
import { forecastOf } from '../../../graphiql/cost/plan/forecast.ts';
import type { Plan } from '../../../graphiql/cost/types.ts';
import { planIn, writeFiles } from './plan-in.ts';

const document = `
  query Named { sites(ids: ["SITE-1", "SITE-2"]) { city } }
  query Data($id: ID!) { conversationContext(id: $id) { sites { site { city } } } }
  subscription Live { live(every: 30) { sites(ids: ["SITE-1", "SITE-2"]) { city } } }`;

it.each([
  [1, 5000, 200],
  [200, 5000, 200],
  [21, 10_000, 512.3],
  [100_000, 500, 34.2],
])('forecasts %i viewers every %i ms at %d ms a call as the panel of GraphiQL does', async (...given) => {
  const [viewers, everyMs, latencyMs] = given;
  const folder = await writeFiles({ 'a.graphql': document });
  const viewing = { viewers, everyMs, latencyMs, limitPerMinute: undefined };
  const { lines } = await planIn(folder, ['a.graphql'], { isJson: true, viewing });
  const { operations, forecast }: Planned = JSON.parse(lines.join('\n'));
  expect(operations.map(({ name }) => name)).toEqual(['Named', 'Data', 'Live']);
  for (const [index, plan] of operations.entries()) {
    const { everyMs, alone, gateway, live } = forecast.operations[index] ?? expect.unreachable();
    const shown = forecastOf(plan, { viewers, everyMs }, latencyMs);
    expect(shown.alone).toEqual(alone);
    // The panel shows what the query of a live query costs as a query, too.
    expect(plan.live ? shown.live : shown.gateway).toEqual(gateway);
    expect(shown.live).toEqual(plan.live && live);
  }
});

interface Planned {
  operations: (Plan & { name: string })[];
  forecast: {
    operations: (ReturnType<typeof forecastOf> & { everyMs: number })[];
  };
}
