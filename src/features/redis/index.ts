/** Redis or Valkey, through which gateways share what they keep. */
export { redisConfig, redisSettings } from './settings.ts';
