import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { wholeNumber } from './kinds.ts';

/** How the process is stopped, and how many serve. */
export interface Life {
  workers: number;
  drain: Patience;
}

/** How a gateway leaves: for how long it only says so, and then how long calls at work may take. */
interface Patience {
  delayMs: number;
  timeoutMs: number;
}

export const lifeSettings = {
  WORKERS: z
    .string()
    .default('1')
    .refine(
      (text) => text === 'auto' || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 512),
      {
        error: 'must be auto, or a whole number from 1 to 512',
      },
    )
    .transform((text) => (text === 'auto' ? availableParallelism() : Number(text)))
    .describe('How many processes serve, `auto` for one on each core; each has the limits below for itself'),
  DRAIN_DELAY_MS: wholeNumber(0, 600_000, 0).describe(
    'How long, once it is told to stop, the gateway goes on as before while `/readyz` says 503',
  ),
  // Longer than OPERATION_TIMEOUT_MS, and with what comes before it shorter than what Kubernetes grants: 30 s.
  DRAIN_TIMEOUT_MS: wholeNumber(0, 3_600_000, 25_000).describe(
    'How long calls at work may take after that; what is overdue is cut, and the process exits with 1',
  ),
};

/** The settings above, once they are read. */
export function lifeFrom(data: z.output<z.ZodObject<typeof lifeSettings>>): Life {
  return {
    workers: data.WORKERS,
    drain: { delayMs: data.DRAIN_DELAY_MS, timeoutMs: data.DRAIN_TIMEOUT_MS },
  };
}
