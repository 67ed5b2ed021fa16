import type { Given, Values } from '../../config/declaration.ts';
import { baseUrl, oneOf } from '../../config/kinds.ts';

export const tracesSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .refine((url) => url?.port !== '4317', {
      error: 'must have the port for OTLP over HTTP, by default 4318: 4317 is for gRPC',
    })
    .refine((url) => !/\/v1\/(traces|metrics|logs)\/*$/.test(url?.pathname ?? ''), {
      error: 'must be the base URL of the collector: /v1/traces is appended',
    })
    .describe('Base URL of an OTLP/HTTP collector, to which `/v1/traces` is appended; unset: no traces'),
  OTEL_PROPAGATE_UPSTREAM: oneOf('on', 'off').describe('`on` sends `traceparent` to the REST API'),
};

export function tracesConfig(values: Values<typeof tracesSettings>) {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return { traces: { endpoint, propagates: values.OTEL_PROPAGATE_UPSTREAM === 'on' } };
}

/** The variables of OpenTelemetry that the gateway or its SDK reads, with the values that count. */
const used = [
  /^OTEL_(SDK_DISABLED|SERVICE_NAME|RESOURCE_ATTRIBUTES|PROPAGATE_UPSTREAM)=/,
  /^OTEL_EXPORTER_OTLP_(TRACES_)?(ENDPOINT|HEADERS|TIMEOUT|COMPRESSION|(CLIENT_)?CERTIFICATE|CLIENT_KEY)=/,
  /^OTEL_EXPORTER_OTLP_(TRACES_)?PROTOCOL=http\/protobuf$/,
  /^OTEL_TRACES_SAMPLER(_ARG=|=(parentbased_)?(always_on|always_off|traceidratio)$)/,
  /^OTEL_BSP_(SCHEDULE_DELAY|EXPORT_TIMEOUT|MAX_QUEUE_SIZE|MAX_EXPORT_BATCH_SIZE)=/,
  /^OTEL_(TRACES_EXPORTER=(otlp|none)|(METRICS|LOGS)_EXPORTER=none|PROPAGATORS=tracecontext)$/,
];

/** Returns a line that names each variable of OpenTelemetry without effect. */
export function tracesWarnings(env: Given): string[] {
  const hasEndpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const isUsed = (name: string) => hasEndpoint && used.some((form) => form.test(`${name}=${env[name]}`));
  const isGiven = (name: string) => name.startsWith('OTEL_') && env[name]?.trim();
  const names = Object.keys(env).filter((name) => isGiven(name) && !isUsed(name));
  if (names.length === 0) return [];
  const effect = 'the gateway sends traces alone, as protobuf over HTTP, to OTEL_EXPORTER_OTLP_ENDPOINT';
  return [`${names.sort().join(', ')} has no effect: ${effect}`];
}
