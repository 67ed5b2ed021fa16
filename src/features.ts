import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import { type CacheStore, responseCache } from './features/cache/index.ts';
import { federation, federationText } from './features/federation/index.ts';
import { redis } from './features/redis/index.ts';
import type { Parts } from './gateway.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';
import { liveText, withLiveQueries } from './schema/live.ts';
import type { Extend, SchemaText } from './schema/sdl.ts';
import { type Layer, revalidation } from './upstream/call.ts';
import type { UpstreamParts } from './upstream/client.ts';

/** What `portico print-schema` can print, in the order of its options. */
const schemaTexts: readonly SchemaText[] = [
  // Besides the public contract.
  liveText,
  federationText,
];

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [
  checkConfig,
  checkUpstream,
  printSchema(schemaTexts),
  plan,
  usage,
  mcp,
];

/** What gateways share. */
interface Shared extends Omit<UpstreamParts, 'outer' | 'inner'> {
  cacheStore?: () => CacheStore;
}

/** What is on the way of a REST call; a null is off. */
export function upstreamParts(given: Parameters<Parts['upstream']>[0]): UpstreamParts {
  const shared: Shared = {
    ...redis(given),
  };
  const outer: (Layer | null)[] = [
    // Before the decoding.
    responseCache(given, shared.cacheStore),
  ];
  const inner: (Layer | null)[] = [
    // Before the transport.
    given.live && revalidation,
  ];
  const isOn = (layer: Layer | null) => layer !== null;
  return { ...shared, outer: outer.filter(isOn), inner: inner.filter(isOn) };
}

/** What is in the schema; a null is off. */
function schemaParts(config: Parameters<Parts['schema']>[0]): Extend[] {
  const extend: (Extend | null)[] = [
    // Each also has what those before it add.
    federation(config),
    config.live && withLiveQueries,
  ];
  return extend.filter((one) => one !== null);
}

/** What a gateway has besides its core. */
export const parts: Parts = {
  schema: schemaParts,
  upstream: upstreamParts,
};
