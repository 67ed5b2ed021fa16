import type { IncomingMessage } from 'node:http';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  getNumberFromEnv,
  getStringFromEnv,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../../observers/logger.ts';
import type { Observer, RequestTrace } from '../../observers/observer.ts';
import { type Operation, templateOf } from '../../observers/operation.ts';
import { revealsSecret } from '../../observers/secrets.ts';
import { isMissing } from '../../rest/call.ts';
import { pathOf } from '../../rest/resources.ts';
import type { LoadObserver } from '../../schema/loaders.ts';

export interface TracingOptions {
  /** The base URL of the collector. */
  endpoint: URL;
  /** Whether REST calls have a `traceparent`. */
  propagates: boolean;
}

const SEND_TIMEOUT_MS = 2000;
const REPORT_EVERY_MS = 60_000;

/**
 * Traces operations: a span for each operation, each loader call and each REST call, which are sent to the collector
 * in batches, in the background. OpenTelemetry's packages read variables of their own; a value that they ignore
 * is logged.
 */
export function createTracing(
  { endpoint, propagates }: TracingOptions,
  logger: Pick<Logger, 'warn'>,
): Observer {
  const warn = (message: string) => logger.warn(message);
  const diagnostics = { error: warn, warn, info: warn, debug: warn, verbose: warn };
  diag.setLogger(diagnostics, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.href.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': getStringFromEnv('OTEL_SERVICE_NAME') ?? 'portico' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(readSampledShare()) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: SEND_TIMEOUT_MS })],
  });
  diag.disable();
  const onLost = createLossReport(logger);
  setGlobalErrorHandler(onLost);
  const tracer = provider.getTracer('portico');
  return {
    trace: (req) => startOperation(tracer, req, propagates),
    /** Sends the remaining spans, in one attempt at most. Never rejects. */
    close: () => provider.shutdown().catch(onLost),
  };
}

/** The share of operations that is traced, unless `traceparent` of the request decides it. */
function readSampledShare(): number {
  const only = 'parentbased_traceidratio';
  if ((getStringFromEnv('OTEL_TRACES_SAMPLER') ?? only) !== only)
    diag.warn(`OTEL_TRACES_SAMPLER is ignored: the sampler is ${only}`);
  const share = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1;
  if (share >= 0 && share <= 1) return share;
  diag.warn('OTEL_TRACES_SAMPLER_ARG is ignored: it must be a number from 0 to 1');
  return 1;
}

/** Logs that traces were dropped, at most once per minute. */
function createLossReport(logger: Pick<Logger, 'warn'>): (error: unknown) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = performance.now();
    const { code, message } = error as NodeJS.ErrnoException;
    logger.warn({ reason: String(code ?? message) }, 'traces were dropped');
  };
}

function startOperation(tracer: Tracer, req: IncomingMessage, propagates: boolean): RequestTrace {
  const attributes = { 'http.request.method': req.method };
  const options = { kind: SpanKind.SERVER, startTime: nowMs(), attributes };
  const span = tracer.startSpan('GraphQL operation', options, contextFrom(req));
  const isSampled = span.isRecording();
  return {
    traceId: isSampled ? span.spanContext().traceId : undefined,
    // Undefined where it has nothing to do.
    loadObserver: isSampled || propagates ? createLoadObserver(tracer, span, propagates) : undefined,
    end(operation: Operation): void {
      if (isSampled) describe(span, operation);
      span.end(nowMs());
    },
  };
}

/** The time of spans: milliseconds since the Unix epoch, with microseconds. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Longest `traceparent` that is read; version 00 has 55 characters (W3C Trace Context, 3.2.2). */
const MAX_TRACEPARENT_CHARACTERS = 128;

const w3c = new W3CTraceContextPropagator();

/** The trace context that the client sent, unless it is too long or holds part of the client's key. */
function contextFrom({ headers }: IncomingMessage): Context {
  const { traceparent = '' } = headers;
  if (traceparent.length > MAX_TRACEPARENT_CHARACTERS) return ROOT_CONTEXT;
  if (revealsSecret(String(traceparent), String(headers['x-api-key'] ?? ''))) return ROOT_CONTEXT;
  return w3c.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
}

/** Codes of errors that the client does not cause. */
const failures = /^(UPSTREAM_|INTERNAL_SERVER_ERROR$|OVERLOADED$)/;

function describe(span: Span, operation: Operation): void {
  const { type, name, documentHash, codes, key } = operation;
  if (type !== null) span.updateName(name === null ? type : `${type} ${name}`);
  span.setAttributes({
    'http.response.status_code': operation.status,
    'portico.request_id': operation.requestId,
    'portico.outcome': operation.outcome,
    'portico.codes': [...codes],
    'graphql.operation.type': type ?? undefined,
    'graphql.operation.name': name ?? undefined,
    'portico.document': documentHash ?? undefined,
    'portico.key': key ?? undefined,
  });
  if (codes.some((code) => failures.test(code))) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** A load by a resolver that has no outcome yet; `hasCall`: whether a REST call is below its span. */
interface PendingLoad {
  span: Span;
  hasCall: boolean;
}

/** Where the span of a call belongs: below the first of the loads that it is for, and linked to the others. */
interface Place {
  parent: Context;
  others: readonly PendingLoad[];
}

/**
 * Starts and ends a span for each load by a resolver below that of the `operation`, and below it one for each REST
 * call, which carries `traceparent` if it `propagates`.
 */
function createLoadObserver(tracer: Tracer, operation: Span, propagates: boolean): LoadObserver {
  const context = trace.setSpan(ROOT_CONTEXT, operation);
  const isSampled = operation.isRecording();
  /** By the path of the resource without relations. */
  const loads = new Map<string, PendingLoad[]>();
  /** By the path of the call, which is requested once: a retry has the place of the first attempt. */
  const places = new Map<string, Place>();
  const inFlight = new Map<string, Span>();

  function placeOf(path: string): Place {
    const known = places.get(path);
    if (known) return known;
    const pending = loads.get(path.split('?', 1)[0] ?? '') ?? [];
    const waiting = pending.filter(({ hasCall }) => !hasCall);
    const [first = pending.at(-1), ...others] = waiting;
    for (const load of waiting) load.hasCall = true;
    const place = { parent: first ? trace.setSpan(context, first.span) : context, others };
    places.set(path, place);
    return place;
  }

  function startCall(path: string, startTime: number, kind: SpanKind): Span {
    const { parent, others } = placeOf(path);
    const template = templateOf({ path });
    const [route = ''] = template.split('?', 1);
    const attributes = { 'http.request.method': 'GET', 'url.template': template };
    const span = tracer.startSpan(`GET ${route}`, { kind, startTime, attributes }, parent);
    for (const load of others) load.span.addLink({ context: span.spanContext() });
    return span;
  }

  return {
    onLoad(resource, include, outcome) {
      if (!isSampled) return;
      const path = pathOf(resource);
      const attributes = { 'portico.include': include.length > 0 ? [...include] : undefined };
      const span = tracer.startSpan(`load ${resource.kind}`, { startTime: nowMs(), attributes }, context);
      const load = { span, hasCall: false };
      loads.set(path, [...(loads.get(path) ?? []), load]);
      const end = () => {
        loads.set(path, loads.get(path)?.filter((other) => other !== load) ?? []);
        span.end(nowMs());
      };
      outcome.then(end, (error: unknown) => {
        span.setStatus({ code: SpanStatusCode.ERROR });
        // Not the message, which could hold data.
        if (error instanceof Error) span.setAttribute('error.type', error.name);
        end();
      });
    },
    onSend(path) {
      const span = startCall(path, nowMs(), SpanKind.CLIENT);
      inFlight.set(path, span);
      return propagates ? traceparentOf(span) : undefined;
    },
    onCall({ path, source, status, durationMs }) {
      const sent = source === 'network' ? inFlight.get(path) : undefined;
      const span = sent ?? startCall(path, nowMs() - durationMs, SpanKind.INTERNAL);
      if (sent) inFlight.delete(path);
      span.setAttributes({ 'portico.source': source, 'http.response.status_code': status ?? undefined });
      const isFailure = status === null || (status >= 400 && !isMissing(status));
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(nowMs());
    },
  };
}

function traceparentOf(span: Span): string | undefined {
  const carrier: { traceparent?: string } = {};
  w3c.inject(trace.setSpan(ROOT_CONTEXT, span), carrier, defaultTextMapSetter);
  return carrier.traceparent;
}
