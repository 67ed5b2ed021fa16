import type manifest from '../package.json';

/** A name that is not one of the dependencies is an error of types: an installation would not have it. */
type Reasons = { [name in keyof (typeof manifest)['dependencies']]?: string };

/**
 * The packages that stay outside of the bundles, each with the reason. All others are bundled, the other
 * dependencies of package.json included.
 */
export const external = {
  '@opentelemetry/api': 'loaded for traces only',
  '@opentelemetry/exporter-trace-otlp-proto': 'loaded for traces only',
  '@opentelemetry/resources': 'loaded for traces only',
  '@opentelemetry/sdk-trace': 'loaded for traces only',
  ioredis: 'loaded for a shared cache only',
  libsql: 'native code',
  pg: 'loaded for Postgres only',
} satisfies Reasons;
