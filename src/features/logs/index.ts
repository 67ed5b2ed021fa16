/** The log, one line per operation. */
export { logsConfig, logsSettings } from './settings.ts';
