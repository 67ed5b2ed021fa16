import { expect, it } from 'vitest';
import { closed } from '../../support/upstream.ts';
import { timeout } from './corpus.ts';
import { conversationId } from './data.ts';
import { openLine } from './line.ts';
import { post } from './requests.ts';
import { openStage } from './stage.ts';

/** Long enough for the calls that are answered, on a busy machine too. */
const patience = '3000';
const site = 'query ($id: ID!) { site(id: $id) { id clients { name } } }';

it('fails slow operations like the full pipeline', { timeout }, async () => {
  const slow: [NodeJS.ProcessEnv, string][] = [
    [{ OPERATION_TIMEOUT_MS: patience }, '{ site(id: "SITE-never") { id } }'],
    [{ OPERATION_TIMEOUT_MS: patience }, '{ sites(ids: ["SITE-1", "SITE-never", "SITE-2"]) { id } }'],
    [
      { OPERATION_TIMEOUT_MS: patience },
      '{ health { reachable } site(id: "SITE-never") { clients { id } } }',
    ],
    [
      { UPSTREAM_TIMEOUT_MS: patience },
      `{ conversationContext(id: "${conversationId('a010')}") { sites { site { id } } } }`,
    ],
  ];
  // Concurrently, because most of the time is waiting.
  const stages = await Promise.all(
    slow.map(async ([env, query]) => {
      const stage = await openStage(env);
      await stage.send(post({ query }, { fields: { 'x-explain': 'report' } }));
      return stage;
    }),
  );
  for (const stage of stages) stage.expectSame();
});

it('admits and releases operations like the full pipeline', { timeout }, async () => {
  const stage = await openStage({ MAX_CONCURRENT_OPERATIONS: '1' });
  const known = post({ query: site, variables: { id: 'SITE-1' } });
  const stuck = post({ query: site, variables: { id: 'SITE-never' } });
  await stage.send(known);
  const before = stage.eligible();

  const { fast, full } = stage.sides;
  const leave = await Promise.all(
    [fast, full].map(async (side) => {
      const line = await openLine(side.origin);
      const held = side.nextHeld();
      const said = line.say(stuck.wire, 1);
      const call = await held;
      return async () => {
        line.hangUp();
        await said;
        await closed(call);
      };
    }),
  );
  await stage.send(known);
  expect(stage.eligible(), 'none is admitted while one is active').toBe(before);
  for (const each of leave) await each();
  await stage.send(known);
  expect(stage.eligible()).toBe(2 * before);
  stage.expectSame();
});
