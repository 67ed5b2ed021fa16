/** Trusted documents: operations that the operator provides, by id. */
export { trustedConfig, trustedContradictions, trustedSettings } from './settings.ts';
