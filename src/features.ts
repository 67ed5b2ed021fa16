import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import { type CacheStore, responseCache } from './features/cache/index.ts';
import { redis } from './features/redis/index.ts';
import type { Parts } from './gateway.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';
import { type Layer, revalidation } from './upstream/call.ts';
import type { UpstreamParts } from './upstream/client.ts';

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [checkConfig, checkUpstream, printSchema, plan, usage, mcp];

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

/** What a gateway has besides its core. */
export const parts: Parts = {
  upstream: upstreamParts,
};
