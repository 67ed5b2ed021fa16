import { faultsWhere, type Given, type Values } from '../../config/declaration.ts';
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
  return {
    /** Null: no traces. */
    traces: endpoint && { endpoint, propagates: values.OTEL_PROPAGATE_UPSTREAM === 'on' },
  };
}

export function tracesContradictions(given: Given): string[] {
  const protocol = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(
    (name) => given[name],
  );
  return faultsWhere([
    given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && given[protocol ?? ''] === 'grpc',
    `${protocol} must be http/protobuf: the gateway does not send gRPC`,
  ]);
}
