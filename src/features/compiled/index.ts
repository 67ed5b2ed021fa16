/** The fast path: operations that are compiled. */
export { compiledConfig, compiledSettings } from './settings.ts';
