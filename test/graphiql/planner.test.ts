import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  createPlanner,
  isEditOf,
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
  const sent: { query: string; signal: AbortSignal; respond(response: PlanResponse): void; fail(): void }[] =
    [];
  const states: PlanState[] = [];
  const planner = createPlanner({
    send: ({ query }, signal) =>
      new Promise((respond, reject) => {
        sent.push({ query, signal, respond, fail: () => reject(new TypeError('no connection')) });
      }),
    onState: (state) => states.push(state),
    delayMs: 250,
  });
  /** Changes the text, and waits. */
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
  expect(state()).toMatchObject({ plan: plan('/b'), obstacle: undefined, isPending: false });
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

it('shows why there is no plan without a request, and keeps the plan of which it is an edit', async () => {
  const { planner, sent, state, edit, respond } = start();
  edit('{ a }', 250);
  await respond(0, { extensions: { plan: plan('/a') } });
  planner.update(() => ({ query: '{ a', obstacle: { kind: 'no-key' } }));
  vi.advanceTimersByTime(250);
  expect(state()).toMatchObject({ plan: plan('/a'), obstacle: { kind: 'no-key' }, isPending: false });
  planner.update(() => ({ query: 'query { typo', obstacle: { kind: 'invalid', message: 'Syntax Error' } }));
  vi.advanceTimersByTime(250);
  expect(state()).toMatchObject({ plan: undefined, obstacle: { kind: 'invalid' }, isPending: false });
  expect(sent).toHaveLength(1);
});

it('keeps no plan of a text with which a rejected one has little in common', async () => {
  const { state, edit, respond } = start();
  edit('{ a }', 250);
  await respond(0, { extensions: { plan: plan('/a') } });
  edit('query Other { b(id: 1) { c } }', 250);
  await respond(1, { errors: [{ message: 'Too many.' }] });
  expect(state()).toMatchObject({
    plan: undefined,
    operationName: undefined,
    obstacle: { kind: 'rejected' },
  });
});

it('takes a text for an edit of another one where most of both is equal', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ maxLength: 8 }), (start, end, inserted) => {
      const isSmall = inserted.length < start.length + end.length;
      expect(isEditOf(start + end, start + inserted + end)).toBe(isSmall);
      expect(isEditOf(start + inserted + end, start + end)).toBe(isSmall);
    }),
  );
});

it('shows a rejection and a lost connection, and retries neither', async () => {
  const { sent, state, edit, respond } = start();
  edit('{ a }', 250);
  await respond(0, { errors: [{ message: 'Too many.', extensions: { code: 'OPERATION_TOO_EXPENSIVE' } }] });
  expect(state()?.obstacle).toEqual({
    kind: 'rejected',
    message: 'Too many.',
    code: 'OPERATION_TOO_EXPENSIVE',
  });
  edit('{ b }', 250);
  sent[1]?.fail();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state()?.obstacle).toMatchObject({ kind: 'rejected', message: 'TypeError: no connection' });
  expect(sent).toHaveLength(2);
});

it('forgets the plan when it is switched off', async () => {
  const { planner, sent, state, edit } = start();
  edit('{ a }');
  planner.reset();
  vi.advanceTimersByTime(250);
  expect(sent).toEqual([]);
  expect(state()).toMatchObject({ plan: undefined, isPending: false });
});
