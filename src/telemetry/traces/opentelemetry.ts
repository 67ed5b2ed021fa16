import type { IncomingMessage } from 'node:http';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Operation } from '../operation.ts';
import { revealsSecret } from '../secrets.ts';
import { nowMs, type OperationSpan, tracedClient, tracedLoaders } from './spans.ts';
import type { OperationTrace, Tracing, TracingOptions } from './tracing.ts';

const SEND_TIMEOUT_MS = 2000;
const REPORT_EVERY_MS = 60_000;

const w3c = new W3CTraceContextPropagator();

/** Sends traces to the collector in batches, in the background. */
export function createTracing(options: TracingOptions): Tracing {
  const { endpoint, serviceName, sampledShare, propagates } = options;
  const url = `${endpoint.href.replace(/\/+$/, '')}/v1/traces`;
  const exporter = reportingLoss(
    new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MS }),
    options.onLost,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: SEND_TIMEOUT_MS })],
  });
  const tracer = provider.getTracer('portico');
  return {
    start: (req) => startOperation(tracer, req, propagates),
    close: () => provider.shutdown().catch(() => {}),
  };
}

/** Wraps an exporter: calls `onLost` when an export fails, at most once per minute. */
function reportingLoss(exporter: SpanExporter, onLost: TracingOptions['onLost']): SpanExporter {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const report = (error: (Error & { code?: unknown }) | undefined) => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = performance.now();
    onLost(String(error?.code ?? error?.message ?? 'the collector does not take them'));
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) report(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function startOperation(tracer: Tracer, req: IncomingMessage, propagates: boolean): OperationTrace {
  const span = tracer.startSpan(
    'GraphQL operation',
    { kind: SpanKind.SERVER, startTime: nowMs(), attributes: { 'http.request.method': req.method ?? '' } },
    contextFrom(req),
  );
  const operation: OperationSpan = {
    span,
    tracer,
    context: trace.setSpan(ROOT_CONTEXT, span),
    propagates,
    loads: new Map(),
  };
  const isSampled = span.isRecording();
  return {
    traceId: isSampled ? span.spanContext().traceId : undefined,
    client: (client) => (isSampled || propagates ? tracedClient(client, operation) : client),
    loaders: (loaders) => (isSampled ? tracedLoaders(loaders, operation) : loaders),
    end(ended) {
      if (isSampled) describe(operation, ended);
      span.end(nowMs());
    },
  };
}

/** Longest `traceparent` that is read; version 00 has 55 characters (W3C Trace Context, 3.2.2). */
const MAX_TRACEPARENT_CHARACTERS = 128;

/** The trace context that the client sent, unless it is too long or holds part of the client's key. */
function contextFrom({ headers }: IncomingMessage) {
  const { traceparent = '' } = headers;
  if (traceparent.length > MAX_TRACEPARENT_CHARACTERS) return ROOT_CONTEXT;
  if (revealsSecret(String(traceparent), String(headers['x-api-key'] ?? ''))) return ROOT_CONTEXT;
  return w3c.extract(
    ROOT_CONTEXT,
    { traceparent },
    { keys: Object.keys, get: (carrier, key) => carrier[key] },
  );
}

/** Codes of errors that the client does not cause. */
const failures = /^(UPSTREAM_|INTERNAL_SERVER_ERROR$|OVERLOADED$)/;

function describe({ span }: OperationSpan, operation: Operation): void {
  const { type, name, documentHash, codes, key, polls } = operation;
  if (type !== null) span.updateName(name === null ? type : `${type} ${name}`);
  span.setAttributes({
    'http.response.status_code': operation.status,
    'portico.request_id': operation.requestId,
    'portico.outcome': operation.outcome,
    'portico.codes': [...codes],
    ...(type !== null && { 'graphql.operation.type': type }),
    ...(name !== null && { 'graphql.operation.name': name }),
    ...(documentHash !== null && { 'portico.document': documentHash }),
    ...(key !== null && { 'portico.key': key }),
    ...(polls !== undefined && { 'portico.polls': polls }),
  });
  if (codes.some((code) => failures.test(code))) span.setStatus({ code: SpanStatusCode.ERROR });
}
