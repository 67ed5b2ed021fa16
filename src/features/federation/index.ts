/** The gateway as a subgraph of Apollo Federation 2. */
export { federationConfig, federationSettings } from './settings.ts';
