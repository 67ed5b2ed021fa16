import type { Layer } from '../../../rest/call.ts';

/** Turns a 304 into its 200. The requests that joined the call have no validator, and need the body. */
export const revalidation: Layer = (next) => (request, done) => {
  const { validator } = request;
  if (!validator) return next(request, done);
  next(request, (outcome) => {
    if (outcome instanceof Error || outcome.status !== 304) return done(outcome);
    done({ ...outcome, status: 200, body: validator.body });
  });
};
