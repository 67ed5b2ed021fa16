/** What the pages of browsers need: CORS, and HSTS behind a proxy. */
export { browserConfig, browserSettings } from './settings.ts';
