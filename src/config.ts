import type { z } from 'zod';
import { settings } from './config/settings.ts';

/** The configuration of the gateway; durations in milliseconds, sizes in bytes. */
export type Config = ReturnType<typeof configFrom>;

/**
 * Reads all settings of the gateway and, unless `UPSTREAM_URL` names another upstream, those of the embedded
 * reference. Returns all their faults if there are any.
 */
export async function readConfiguration() {
  const env = readEnv();
  const { config, faults: gatewayFaults = [] } = configFromEnv(env);
  const embedded = env.UPSTREAM_URL
    ? { options: undefined }
    : (await import('../reference/config.ts')).readReferenceConfig(env);
  const faults = [...gatewayFaults, ...('faults' in embedded ? embedded.faults : [])];
  if (!config || 'faults' in embedded) return { faults: [...new Set(faults)] };
  return { config, reference: embedded.options };
}

/** The only place that reads the environment of the process. */
export function readEnv(): NodeJS.ProcessEnv {
  return process.env;
}

/**
 * Reads every setting; an empty one counts as unset. Returns either a whole configuration or all its faults,
 * each of which begins with the name of its setting.
 */
export function configFromEnv(env: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(Object.entries(env).filter(([, text]) => text !== ''));
  const { data, error } = settings.safeParse(given);
  const faults = (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  faults.push(...contradictions(given));
  return data && faults.length === 0 ? { config: configFrom(data) } : { faults };
}

function configFrom(data: z.output<typeof settings>) {
  const isProduction = data.NODE_ENV === 'production';
  return {
    host: data.HOST,
    port: data.PORT,
    drain: { delayMs: data.DRAIN_DELAY_MS, timeoutMs: data.DRAIN_TIMEOUT_MS },
    edge: {
      maxConnections: data.MAX_CONNECTIONS,
      maxUnreadBytes: data.MAX_UNREAD_BYTES,
      requestTimeoutMs: data.REQUEST_TIMEOUT_MS,
      keepAliveMs: data.KEEP_ALIVE_MS,
      corsOrigins: data.CORS_ORIGINS,
      trustedProxies: data.TRUST_PROXY,
    },
    maxBodyBytes: data.MAX_BODY_BYTES,
    maxConcurrentOperations: data.MAX_CONCURRENT_OPERATIONS,
    operationTimeoutMs: data.OPERATION_TIMEOUT_MS,
    graphiql: (data.GRAPHIQL ?? (isProduction ? 'off' : 'on')) === 'on',
    introspection: data.INTROSPECTION ?? (isProduction ? 'key' : 'open'),
    trustedDocuments:
      data.TRUSTED_DOCUMENTS === undefined
        ? null
        : { path: data.TRUSTED_DOCUMENTS, only: data.TRUSTED_DOCUMENTS_ONLY === 'on' },
    federation: data.FEDERATION === 'on',
    siteIdPrefix: data.SITE_ID_PREFIX,
    maxIds: data.MAX_IDS,
    maxUpstreamCalls: data.MAX_UPSTREAM_CALLS,
    maxResponseBytes: data.MAX_RESPONSE_BYTES,
    maxDepth: data.MAX_DEPTH,
    compiledBytes: data.COMPILED_BYTES,
    /** Null: no live queries. */
    live:
      (data.LIVE ?? (isProduction ? 'off' : 'on')) === 'on'
        ? {
            intervalMs: data.LIVE_INTERVAL_S * 1000,
            callsPerMinute: data.LIVE_CALLS_PER_MINUTE,
            staleMs: data.LIVE_STALE_S * 1000,
            maxStreams: data.LIVE_MAX_STREAMS,
            maxBytes: data.LIVE_MAX_BYTES,
          }
        : null,
    upstream: {
      /** Null: the embedded reference. */
      url: data.UPSTREAM_URL,
      timeoutMs: data.UPSTREAM_TIMEOUT_MS,
      connections: data.UPSTREAM_CONNECTIONS,
      maxResponseBytes: data.UPSTREAM_MAX_RESPONSE_BYTES,
      cache: {
        ttl: { freshMs: data.CACHE_TTL_MS, staleMs: data.CACHE_STALE_IF_ERROR_MS },
        maxBytes: data.CACHE_MAX_BYTES,
      },
      /** Of Redis or Valkey; null: this gateway shares nothing. */
      redisUrl: data.CACHE_URL ?? null,
    },
    telemetry: {
      logLevel: data.LOG_LEVEL,
      /** Null: no metrics. */
      admin: data.ADMIN_PORT === undefined ? null : { host: data.ADMIN_HOST, port: data.ADMIN_PORT },
      /** Null: no traces. */
      traces: data.OTEL_EXPORTER_OTLP_ENDPOINT && {
        endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
        propagates: data.OTEL_PROPAGATE_UPSTREAM === 'on',
      },
    },
  };
}

/** What is wrong with settings that are valid one by one and contradict each other. */
function contradictions(given: Record<string, string | undefined>): string[] {
  const url = settings.shape.UPSTREAM_URL.safeParse(given.UPSTREAM_URL).data;
  const isInsecure = url?.protocol === 'http:' && !isLoopback(url.hostname);
  const protocol = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(
    (name) => given[name],
  );
  const faults: [boolean, string][] = [
    [
      given.UPSTREAM_URL === undefined && given.NODE_ENV === 'production',
      'UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data',
    ],
    [
      isInsecure && given.ALLOW_INSECURE_UPSTREAM !== 'on',
      'UPSTREAM_URL must be https: for a host that is not loopback, or ALLOW_INSECURE_UPSTREAM must be on',
    ],
    [
      given.TRUSTED_DOCUMENTS_ONLY === 'on' && given.TRUSTED_DOCUMENTS === undefined,
      'TRUSTED_DOCUMENTS must be set where TRUSTED_DOCUMENTS_ONLY is on',
    ],
    [
      given.TRUSTED_DOCUMENTS_ONLY === 'on' && given.FEDERATION === 'on',
      'FEDERATION must be off where TRUSTED_DOCUMENTS_ONLY is on: routers send documents of their own',
    ],
    [
      given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && given[protocol ?? ''] === 'grpc',
      `${protocol} must be http/protobuf: the gateway does not send gRPC`,
    ],
  ];
  return faults.flatMap(([isFault, fault]) => (isFault ? [fault] : []));
}

/** Whether a host is this machine: a name or address as a URL has it. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
