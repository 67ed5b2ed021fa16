/* What browsers need: the fields by which a page may read a response (CORS), and preflights. */

export { corsFields, preflights } from './cors.ts';
export { browserConfig, browserSettings } from './settings.ts';
