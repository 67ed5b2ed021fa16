/** Live queries: subscriptions that poll the REST API. */
export { liveConfig, liveSettings } from './settings.ts';
