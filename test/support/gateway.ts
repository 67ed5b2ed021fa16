import { onTestFinished } from 'vitest';
import type { Example } from '../../src/composition.ts';
import { coreLimits } from '../../src/config/core.ts';
import type { LiveSettings } from '../../src/features/live/settings.ts';
import { logsTo, startLogs } from '../../src/features/logs/index.ts';
import { createLogger } from '../../src/features/logs/log.ts';
import { type Config, composition } from '../../src/features.ts';
import { createGateway } from '../../src/gateway.ts';
import { loggerOf, type Observer } from '../../src/observers/observer.ts';
import type { UpstreamCall } from '../../src/rest/caller.ts';
import type { Notices } from '../../src/rest/notices.ts';
import { expectNoSentKey, plantKeys } from './canary.ts';
import { createLines } from './lines.ts';
import { conversation, type Script, sendSite, startUpstream } from './upstream.ts';

export const apiKey = 'test-key-0123456789abcdef';

const placeholders: Example = { apiKey, siteId: 'SITE-1001', conversationId: conversation };

/** Settings in capitals, as the environment has them, and other values for constants of the gateway. */
export type TestSettings = { [name in Uppercase<string>]?: string | undefined } & Partial<
  typeof coreLimits
> & { live?: Partial<LiveSettings> };

/** The configuration of these settings, on a free port. */
export function testConfig(settings: TestSettings = {}): Config {
  const env = Object.entries(settings).filter(([name]) => name === name.toUpperCase());
  const { config, faults } = composition.settings.configFromEnv({
    PORT: '0',
    UPSTREAM_URL: 'http://127.0.0.1:9',
    ...Object.fromEntries(env as [string, string][]),
  });
  if (!config) throw new Error(faults.join('\n'));
  if (config.live) Object.assign(config.live, settings.live);
  const limits = Object.entries(settings).filter(([name]) => Object.hasOwn(coreLimits, name));
  return { ...config, ...Object.fromEntries(limits) };
}

/** A gateway on a free port in front of `upstreamUrl`, which the caller closes, and the lines of its log. */
export async function openGateway(upstreamUrl: string, settings: TestSettings = {}, example = placeholders) {
  const config = testConfig({ UPSTREAM_URL: upstreamUrl, ...settings });
  const { output, ...log } = createLines();
  const observers: Observer[] = [];
  for (const start of composition.observers) {
    const observer =
      start === startLogs
        ? logsTo(createLogger(config.telemetry.logLevel, output))
        : await start(config, loggerOf(observers));
    if (observer) observers.push(observer);
  }
  const gateway = createGateway({
    composition,
    config,
    upstreamUrl: new URL(upstreamUrl),
    example,
    observers,
  });
  const url = await gateway.start();
  return {
    ...log,
    url: `${url}/graphql`,
    origin: url,
    drift: () => gateway.gauges.find(({ name }) => name === 'portico_drift_total')?.read(),
    /** The number that the gateway counts by this name; 0 if nothing does. */
    gauge: (name: string) => Number(gateway.gauges.find((gauge) => gauge.name === name)?.read() ?? 0),
    drain: gateway.drain,
    async close() {
      await gateway.drain(0);
      for (const observer of observers.reverse()) await observer.close?.();
      expectNoSentKey(log.written.join(''), [url]);
    },
  };
}

/** The same, closed at the end of the test. */
export async function startGateway(upstreamUrl: string, settings: TestSettings = {}) {
  const gateway = await openGateway(upstreamUrl, settings);
  onTestFinished(gateway.close);
  return gateway;
}

/** The same in front of an upstream that runs this script: by default one that has every site. */
export async function startBoth(settings: TestSettings = {}, script: Script = sendSite) {
  const upstream = await startUpstream(script);
  return { upstream, gateway: await startGateway(upstream.url, settings) };
}

/** The REST calls in the response to `x-explain: report`. */
interface Report extends Pick<Notices, 'quota' | 'deprecation'> {
  calls: (UpstreamCall & { startedMs: number; fields: string[]; omittedFields?: number })[];
  omittedCalls?: number;
  budget?: { spent: number; limit: number };
}

export interface GraphqlResponse<Data = Record<string, unknown>> {
  status: number;
  headers: Headers;
  data?: Data | null;
  errors?: { message: string; path?: (string | number)[]; extensions: Record<string, unknown> }[];
  extensions?: { upstream?: Report };
}

export interface QueryOptions {
  variables?: Record<string, unknown> | undefined;
  key?: string | null;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Posts one operation; `expectAbsent` checks a text for the keys that were sent. */
export async function postOperation(
  url: string,
  document: string | object,
  { variables, key = apiKey, headers = {}, signal }: QueryOptions = {},
) {
  const { expectAbsent } = plantKeys(url, key, headers['x-api-key']);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key !== null && { 'x-api-key': key }),
      ...headers,
    },
    body: JSON.stringify({ ...(typeof document === 'string' ? { query: document } : document), variables }),
    signal: signal ?? null,
  });
  return { response, expectAbsent };
}

/** The same, with the complete response. */
export async function postQuery<Data = Record<string, unknown>>(
  url: string,
  query: string,
  options: QueryOptions = {},
): Promise<GraphqlResponse<Data>> {
  const { response, expectAbsent } = await postOperation(url, query, options);
  const text = await response.text();
  expectAbsent(`${[...response.headers].join('\n')}\n${text}`);
  return { status: response.status, headers: response.headers, ...(JSON.parse(text) as object) };
}

/** The codes of all errors, in their order. */
export function codes(response: GraphqlResponse<unknown>): unknown[] {
  return (response.errors ?? []).map((error) => error.extensions.code);
}
