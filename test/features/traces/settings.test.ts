import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it.each<readonly [string, string, string | RegExp]>([
  ...['http://collector:4317', 'https://collector:4317/base'].map(
    (text) =>
      [
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        text,
        'OTEL_EXPORTER_OTLP_ENDPOINT must have the port for OTLP over HTTP, by default 4318: 4317 is for gRPC',
      ] as const,
  ),
  ...['http://a:4318/v1/traces', 'http://a/base/v1/traces/', 'http://a:4318/v1/logs'].map(
    (text) =>
      [
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        text,
        'OTEL_EXPORTER_OTLP_ENDPOINT must be the base URL of the collector: /v1/traces is appended',
      ] as const,
  ),
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317', /must be an http: or https: URL$/],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([
    typeof fault === 'string' ? fault : expect.stringMatching(fault),
  ]);
});

it.each(['http://127.0.0.1:4318', 'https://collector/base', 'https://collector/v1/traces/tenant/'])(
  'accepts %s as the collector',
  (url) => {
    const { config } = configFromEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(config?.telemetry.traces.endpoint?.href).toBe(new URL(url).href);
  },
);
