/* For pages in browsers: the fields by which they may read a response (CORS), and preflights. */

export { corsFields, preflights } from './cors.ts';
export { browserConfig, browserSettings } from './settings.ts';
