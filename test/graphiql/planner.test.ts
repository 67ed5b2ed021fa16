import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  createPlanner,
  type PlanRequest,
  type PlanResponse,
  type PlanState,
} from '../../graphiql/cost/plan/planner.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const plan = (path: string) => ({
  calls: [{ method: 'GET', path, fields: [] }],
  cost: { known: 1, forEach: [], limit: 50 },
  limit: 50,
});
const request = (query: string): PlanRequest => ({
  query,
  operationName: undefined,
  variables: undefined,
  headers: {},
});

function start() {
  const sent: { query: string; signal: AbortSignal; respond(_: PlanResponse): void; fail(): void }[] = [];
  const states: PlanState[] = [];
  const planner = createPlanner({
    send: ({ query }, signal) =>
      new Promise((respond, reject) => {
        sent.push({ query, signal, respond, fail: () => reject(new TypeError('no connection')) });
      }),
    onState: (state) => states.push(state),
    delayMs: 250,
  });
  const edit = (query: string, waitMs = 0) => {
    planner.update(() => request(query));
    vi.advanceTimersByTime(waitMs);
  };
  const respond = async (index: number, response: PlanResponse) => {
    sent[index]?.respond(response);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { planner, sent, state: () => states.at(-1), edit, respond };
}

it('requests the plan of the last edit only, after the delay', async () => {
  const { sent, state, edit, respond } = start();
  edit('{ a }', 249);
  edit('{ b }', 249);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent.map(({ query }) => query)).toEqual(['{ b }']);
  expect(state()).toMatchObject({ isPending: true });
  await respond(0, { extensions: { plan: plan('/b') } });
  expect(state()).toMatchObject({ plan: plan('/b'), rejection: undefined, isPending: false });
});

it('aborts the request of an older text, and ignores its response', async () => {
  const { sent, state, edit, respond } = start();
  edit('{ a }', 250);
  edit('{ b }');
  expect(sent[0]?.signal.aborted).toBe(true);
  vi.advanceTimersByTime(250);
  await respond(1, { extensions: { plan: plan('/b') } });
  await respond(0, { extensions: { plan: plan('/a') } });
  expect(state()).toMatchObject({ plan: plan('/b') });
});

it('keeps the plan as an old one while the text is not complete, and after a rejection', async () => {
  const { planner, sent, state, edit, respond } = start();
  edit('{ a }', 250);
  await respond(0, { extensions: { plan: plan('/a') } });
  for (const [read, needsKey] of [['no key', true] as const, ['not valid', false] as const]) {
    planner.update(() => read);
    vi.advanceTimersByTime(250);
    expect(state()).toMatchObject({ plan: plan('/a'), isOld: true, needsKey, isPending: false });
  }
  expect(sent).toHaveLength(1);
  edit('{ b }', 250);
  await respond(1, { errors: [{ message: 'Too many.' }] });
  expect(state()).toMatchObject({ plan: plan('/a'), isOld: true, rejection: { message: 'Too many.' } });
});

it('shows a rejection and a lost connection, and retries neither', async () => {
  const { sent, state, edit, respond } = start();
  edit('{ a }', 250);
  await respond(0, { errors: [{ message: 'Too many.', extensions: { code: 'OPERATION_TOO_EXPENSIVE' } }] });
  expect(state()?.rejection).toEqual({ message: 'Too many.', code: 'OPERATION_TOO_EXPENSIVE' });
  edit('{ b }', 250);
  sent[1]?.fail();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state()?.rejection).toMatchObject({ message: 'TypeError: no connection' });
  expect(sent).toHaveLength(2);
});
