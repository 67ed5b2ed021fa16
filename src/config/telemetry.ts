import { z } from 'zod';
import { anyWholeNumber, baseUrl, oneOf } from './kinds.ts';

/** What the gateway says of itself, and to whom. */
export interface Telemetry {
  logLevel: LogLevel;
  /** Where the metrics are read; null: they are not kept. */
  admin: { host: string; port: number } | null;
  /** Where the traces go; null: there are none. */
  traces: Traces | null;
}

interface Traces {
  endpoint: URL;
  serviceName: string;
  /** From 0 to 1: how many of the traces that begin here are kept. */
  sampledShare: number;
  /** Whether the REST API is told which trace its calls belong to. */
  propagates: boolean;
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

export const telemetrySettings = {
  LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe(
      'What is logged: `info` a line for each operation, `warn` what fails upstream, `error` faults of the gateway; also `debug`, `silent`',
    ),
  ADMIN_PORT: anyWholeNumber(0, 65_535)
    .optional()
    .describe(
      'Port of `/metrics` and of the probes `/livez` and `/readyz`; 0 takes a free one; unset: no metrics are kept',
    ),
  ADMIN_HOST: z.string().default('127.0.0.1').describe('Address of that port'),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl().describe(
    'Collector that takes traces by OTLP over HTTP, to whose path `/v1/traces` is added; unset: there are none',
  ),
  OTEL_SERVICE_NAME: z.string().default('portico').describe('Name of the gateway in its traces'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .default('1')
    .refine((text) => /^(0|1|0?\.\d{1,9}|1\.0)$/.test(text), { error: 'must be a number from 0 to 1' })
    .transform(Number)
    .describe('Which share of the operations is traced, 0 to 1, where the caller has not decided it'),
  OTEL_PROPAGATE_UPSTREAM: oneOf('on', 'off').describe(
    '`on` tells the REST API, in `traceparent`, which trace a call belongs to',
  ),
};

/** The settings above, once they are read. */
export function telemetryFrom(data: z.output<z.ZodObject<typeof telemetrySettings>>): Telemetry {
  const { ADMIN_PORT: port, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = data;
  return {
    logLevel: data.LOG_LEVEL,
    admin: port === undefined ? null : { host: data.ADMIN_HOST, port },
    traces: endpoint && {
      endpoint,
      serviceName: data.OTEL_SERVICE_NAME,
      sampledShare: data.OTEL_TRACES_SAMPLER_ARG,
      propagates: data.OTEL_PROPAGATE_UPSTREAM === 'on',
    },
  };
}
