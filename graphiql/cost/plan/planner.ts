import type { Plan } from '../types.ts';

/** Everything that a plan depends on. */
export interface PlanRequest {
  query: string;
  operationName: string | undefined;
  variables: Record<string, unknown> | undefined;
  headers: Record<string, string>;
}

/** What the gateway responds to `x-explain: plan`. */
export interface PlanResponse {
  extensions?: { plan?: Plan };
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Why there is no plan of the current text. */
export type Obstacle =
  | { kind: 'empty' }
  | { kind: 'no-key' }
  | { kind: 'invalid'; message: string }
  | { kind: 'rejected'; message: string; code: string | undefined };

export interface PlanState {
  /**
   * The latest plan. With an obstacle, or while a newer one is requested, it is that of an earlier text, of which the
   * current one is an edit.
   */
  plan: Plan | undefined;
  /** The operation that `plan` belongs to. */
  operationName: string | undefined;
  obstacle: Obstacle | undefined;
  isPending: boolean;
}

export const noPlan: PlanState = {
  plan: undefined,
  operationName: undefined,
  obstacle: undefined,
  isPending: false,
};

/** A text without a plan. */
export interface Unplanned {
  query: string;
  obstacle: Obstacle;
}

export interface PlannerOptions {
  /** Sends a request with `x-explain: plan`. Rejects when `signal` aborts, or without a response. */
  send(request: PlanRequest, signal: AbortSignal): Promise<PlanResponse>;
  onState(state: PlanState): void;
  delayMs: number;
}

export interface Planner {
  /** The operation has changed: after the delay, `read` returns it or the reason why it cannot be planned. */
  update(read: () => PlanRequest | Unplanned): void;
  /** Forgets the plan and aborts the request for one. */
  reset(): void;
}

/** Requests the plan of the newest text, once. A newer text aborts the request of the one before. */
export function createPlanner({ send, onState, delayMs }: PlannerOptions): Planner {
  let state = noPlan;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let inFlight: AbortController | undefined;
  /** The text that the plan belongs to. */
  let planned = '';

  const show = (change: Partial<PlanState>) => {
    state = { ...state, ...change };
    onState(state);
  };

  function cancel() {
    clearTimeout(timer);
    inFlight?.abort();
    inFlight = undefined;
  }

  /** A plan says nothing about a text that is no edit of its own. */
  function forgetOther(query: string) {
    if (!isEditOf(planned, query)) state = { ...state, plan: undefined, operationName: undefined };
  }

  async function request(next: PlanRequest) {
    const own = new AbortController();
    inFlight = own;
    const change = await send(next, own.signal).then(
      (response) => stateFrom(response, next),
      (error: unknown) => ({ obstacle: rejected(String(error), undefined) }),
    );
    if (inFlight !== own) return;
    if ('plan' in change) planned = next.query;
    else forgetOther(next.query);
    show({ ...change, isPending: false });
  }

  return {
    update(read) {
      cancel();
      show({ isPending: true });
      timer = setTimeout(() => {
        const next = read();
        if (!('obstacle' in next)) return void request(next);
        forgetOther(next.query);
        show({ obstacle: next.obstacle, isPending: false });
      }, delayMs);
    },
    reset() {
      cancel();
      show(noPlan);
    },
  };
}

/** Whether two texts have most of the longer one in common, at their starts and ends. */
export function isEditOf(before: string, after: string): boolean {
  const shorter = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < shorter && before[start] === after[start]) start += 1;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return 2 * (start + end) > Math.max(before.length, after.length);
}

function stateFrom({ extensions, errors }: PlanResponse, { operationName }: PlanRequest): Partial<PlanState> {
  const plan = extensions?.plan;
  if (plan) return { plan, operationName, obstacle: undefined };
  const [error] = errors ?? [];
  return { obstacle: rejected(error?.message ?? 'The response has no plan.', error?.extensions?.code) };
}

function rejected(message: string, code: string | undefined): Obstacle {
  return { kind: 'rejected', message, code };
}
