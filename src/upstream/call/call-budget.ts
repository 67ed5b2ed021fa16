import { UpstreamBudgetExceeded } from '../errors.ts';
import { DecoratorHandler, type Layer } from '../layer.ts';

/** How many REST calls one operation has made, of how many it may. */
export class CallBudget {
  readonly limit: number;
  used = 0;
  #rejected = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @throws UpstreamBudgetExceeded when all are used */
  reserve(): void {
    if (this.used >= this.limit) {
      this.#rejected += 1;
      throw new UpstreamBudgetExceeded(this.limit + this.#rejected, this.limit);
    }
    this.used += 1;
  }

  release(): void {
    this.used -= 1;
  }
}

/** Takes each call out of the caller's budget, and puts it back where it is not sent. */
export const callBudget: Layer = (next) => (request, handler) => {
  const { budget } = request.caller;
  if (!budget) return next(request, handler);
  try {
    budget.reserve();
  } catch (error) {
    return handler.onError(error as Error);
  }
  next(request, new BudgetedCall(request, handler));
};

class BudgetedCall extends DecoratorHandler {
  override onError(error: Error): void {
    if (!this.request.isSent) this.request.caller.budget?.release();
    this.handler.onError(error);
  }
}
