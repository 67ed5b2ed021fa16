import type { Plan } from '../types.ts';

/** Everything that a plan depends on. */
export interface PlanRequest {
  query: string;
  operationName: string | undefined;
  variables: Record<string, unknown> | undefined;
  headers: Record<string, string>;
}

/** The operation of the editors, or why it has no plan. */
export type Planned = PlanRequest | 'not valid' | 'no key';

/** The response to `x-explain: plan`. */
export interface PlanResponse {
  extensions?: { plan?: Plan };
  errors?: { message: string; extensions?: { code?: string } }[];
}

export interface PlanState {
  plan: Plan | undefined;
  /** True if the plan is that of an earlier text. */
  isOld: boolean;
  /** Why the gateway has rejected the current text. */
  rejection: { message: string; code: string | undefined } | undefined;
  /** True if there is no key to request the plan with. */
  needsKey: boolean;
  isPending: boolean;
}

export const noPlan: PlanState = {
  plan: undefined,
  isOld: false,
  rejection: undefined,
  needsKey: false,
  isPending: false,
};

export interface PlannerOptions {
  /** Sends a request with `x-explain: plan`. Rejects when `signal` aborts, or without a response. */
  send(request: PlanRequest, signal: AbortSignal): Promise<PlanResponse>;
  onState(state: PlanState): void;
  delayMs: number;
}

export interface Planner {
  /** The operation has changed: after the delay, `read` returns it, or why it cannot be planned. */
  update(read: () => Planned): void;
  /** Forgets the plan and aborts the request for one. */
  reset(): void;
}

/** Requests the plan of the newest text, once. A newer text aborts the request of the one before. */
export function createPlanner({ send, onState, delayMs }: PlannerOptions): Planner {
  let state = noPlan;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let inFlight: AbortController | undefined;

  const show = (change: Partial<PlanState>) => {
    state = { ...state, ...change };
    onState(state);
  };

  function cancel() {
    clearTimeout(timer);
    inFlight?.abort();
    inFlight = undefined;
  }

  async function request(next: PlanRequest) {
    const own = new AbortController();
    inFlight = own;
    const response = await send(next, own.signal).catch(
      (error: unknown): PlanResponse => ({ errors: [{ message: String(error) }] }),
    );
    if (inFlight === own) show({ ...stateFrom(response), isPending: false });
  }

  return {
    update(read) {
      cancel();
      show({ isPending: true });
      timer = setTimeout(() => {
        const next = read();
        show({ needsKey: next === 'no key' });
        if (typeof next === 'object') void request(next);
        else show({ isOld: true, rejection: undefined, isPending: false });
      }, delayMs);
    },
    reset() {
      cancel();
      show(noPlan);
    },
  };
}

function stateFrom({ extensions, errors }: PlanResponse): Partial<PlanState> {
  const plan = extensions?.plan;
  if (plan) return { plan, isOld: false, rejection: undefined };
  const [error] = errors ?? [];
  const message = error?.message ?? 'The response has no plan.';
  return { isOld: true, rejection: { message, code: error?.extensions?.code } };
}
