import { type Edge, edgeFrom } from './config/edge.ts';
import { isLoopback, upstreamUrlFrom } from './config/kinds.ts';
import { type Life, lifeFrom } from './config/life.ts';
import { settings } from './config/settings.ts';
import { type Telemetry, telemetryFrom } from './config/telemetry.ts';

/** What the gateway runs on; durations in milliseconds, sizes in bytes. */
export interface Config {
  host: string;
  port: number;
  life: Life;
  edge: Edge;
  maxBodyBytes: number;
  /** Of all callers together. */
  maxConcurrentOperations: number;
  operationTimeoutMs: number;
  graphiql: boolean;
  /** Who may read the schema: anybody, whoever has a key, nobody. */
  introspection: 'open' | 'key' | 'off';
  /** The manifest of the trusted documents, and whether nothing else is executed; null: there are none. */
  trustedDocuments: { path: string; only: boolean } | null;
  siteIdPrefix: string;
  maxIds: number;
  /** Of one operation. */
  maxUpstreamCalls: number;
  /** How many resources one operation may name, duplicates included. */
  maxResources: number;
  /** What one response may hold. */
  response: { maxValues: number; maxBytes: number };
  /** Of a document: of its text, comments and all, and of what it asks for. */
  limits: {
    characters: number;
    tokens: number;
    depth: number;
    introspectionDepth: number;
    introspectionAliases: number;
    rootFields: number;
    fields: number;
    aliases: number;
    directives: number;
    /** How many a response lists. */
    errors: number;
  };
  documentCacheBytes: number;
  compiler: {
    /** What operations that are compiled may take in memory; 0: none is. */
    maxBytes: number;
    /** How many of a hundred parts of the time may go into that. */
    percent: number;
  };
  upstream: {
    /** Null: the embedded reference. */
    url: URL | null;
    timeoutMs: number;
    connections: number;
    /** How many calls may wait for a connection. */
    queue: number;
    maxResponseBytes: number;
    /** How many of a hundred calls may be repeated. */
    retryPercent: number;
    breakerFailurePercent: number;
    breakerProbeMs: number;
    coalescing: boolean;
    cache: {
      life: { freshMs: number; staleMs: number };
      maxBytes: number;
    };
    /** Redis or Valkey; null: this gateway shares nothing. */
    storeUrl: string | null;
  };
  telemetry: Telemetry;
}

/** Either a whole configuration, or every fault of it, each naming its variable. */
export type ConfigResult = { config: Config; faults?: never } | { config?: never; faults: string[] };

/** The only place that reads the environment of the process. */
export function readEnv(): NodeJS.ProcessEnv {
  return process.env;
}

/** Reads every setting; an empty one counts as unset. */
export function configFromEnv(env: NodeJS.ProcessEnv): ConfigResult {
  const given = Object.fromEntries(Object.entries(env).filter(([, text]) => text !== ''));
  const { data, error } = settings.safeParse(given);
  const faults = [
    ...(error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...faultsOfUpstream(given),
    ...faultsOfTrust(given),
  ];
  if (!data || faults.length > 0) return { faults };

  const production = data.NODE_ENV === 'production';
  return {
    config: {
      host: data.HOST,
      port: data.PORT,
      life: lifeFrom(data),
      edge: edgeFrom(data),
      maxBodyBytes: data.MAX_BODY_BYTES,
      maxConcurrentOperations: data.MAX_CONCURRENT_OPERATIONS,
      operationTimeoutMs: data.OPERATION_TIMEOUT_MS,
      graphiql: (data.GRAPHIQL ?? (production ? 'off' : 'on')) === 'on',
      introspection: data.INTROSPECTION ?? (production ? 'key' : 'open'),
      trustedDocuments:
        data.TRUSTED_DOCUMENTS === undefined
          ? null
          : { path: data.TRUSTED_DOCUMENTS, only: data.TRUSTED_DOCUMENTS_ONLY === 'on' },
      siteIdPrefix: data.SITE_ID_PREFIX,
      maxIds: data.MAX_IDS,
      maxUpstreamCalls: data.MAX_UPSTREAM_CALLS,
      maxResources: data.MAX_RESOURCES,
      response: { maxValues: data.MAX_RESPONSE_VALUES, maxBytes: data.MAX_RESPONSE_BYTES },
      limits: {
        characters: data.MAX_DOCUMENT_CHARACTERS,
        tokens: data.MAX_TOKENS,
        depth: data.MAX_DEPTH,
        introspectionDepth: data.MAX_INTROSPECTION_DEPTH,
        introspectionAliases: data.MAX_INTROSPECTION_ALIASES,
        rootFields: data.MAX_ROOT_FIELDS,
        fields: data.MAX_FIELDS,
        aliases: data.MAX_ALIASES,
        directives: data.MAX_DIRECTIVES,
        errors: data.MAX_ERRORS,
      },
      documentCacheBytes: data.DOCUMENT_CACHE_BYTES,
      compiler: { maxBytes: data.COMPILED_BYTES, percent: data.COMPILE_PERCENT },
      upstream: {
        url: data.UPSTREAM_URL,
        timeoutMs: data.UPSTREAM_TIMEOUT_MS,
        connections: data.UPSTREAM_CONNECTIONS,
        queue: data.UPSTREAM_QUEUE,
        maxResponseBytes: data.UPSTREAM_MAX_RESPONSE_BYTES,
        retryPercent: data.RETRY_PERCENT,
        breakerFailurePercent: data.BREAKER_FAILURE_PERCENT,
        breakerProbeMs: data.BREAKER_PROBE_MS,
        coalescing: data.COALESCING !== 'off',
        cache: {
          life: { freshMs: data.CACHE_TTL_MS, staleMs: data.CACHE_STALE_IF_ERROR_MS },
          maxBytes: data.CACHE_MAX_BYTES,
        },
        storeUrl: data.CACHE_URL ?? null,
      },
      telemetry: telemetryFrom(data),
    },
  };
}

/** Settings that are right one by one, and wrong together. */
type Given = Record<string, string | undefined>;

function faultsOfTrust({ TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_ONLY }: Given): string[] {
  return TRUSTED_DOCUMENTS_ONLY === 'on' && TRUSTED_DOCUMENTS === undefined
    ? ['TRUSTED_DOCUMENTS must be set where TRUSTED_DOCUMENTS_ONLY is on']
    : [];
}

function faultsOfUpstream(env: Given): string[] {
  const { UPSTREAM_URL, ALLOW_INSECURE_UPSTREAM, NODE_ENV } = env;
  if (UPSTREAM_URL === undefined) {
    return NODE_ENV === 'production'
      ? ['UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data']
      : [];
  }
  const url = upstreamUrlFrom(UPSTREAM_URL);
  const insecure = url instanceof URL && url.protocol === 'http:' && !isLoopback(url.hostname);
  return insecure && ALLOW_INSECURE_UPSTREAM !== 'on'
    ? ['UPSTREAM_URL must be https: for a host that is not loopback, or ALLOW_INSECURE_UPSTREAM must be on']
    : [];
}
