import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Logger } from '../../observers/logger.ts';
import type { Observer, RequestTrace } from '../../observers/observer.ts';
import { type Operation, templateOf } from '../../observers/operation.ts';
import { revealsSecret } from '../../observers/secrets.ts';
import { isMissing } from '../../rest/call.ts';
import { pathOf } from '../../rest/resources.ts';
import type { LoadObserver } from '../../schema/loaders.ts';
import { startSdk } from './sdk.ts';

interface TracingOptions {
  /** Of the collector; undefined: the SDK reads it. */
  url: string | undefined;
  /** True if REST calls have a `traceparent`. */
  propagates: boolean;
  /** The REST API; null: the demo in this process. */
  upstreamUrl: URL | null;
}

/** Traces operations: a span for each operation, each loader call and each REST call. */
export function createTracing(
  { url, propagates, upstreamUrl }: TracingOptions,
  logger: Pick<Logger, 'warn'>,
): Observer {
  const { tracer, close } = startSdk(url, logger);
  const attributesFor = createCallAttributes(upstreamUrl);
  return { trace: (req) => startOperation({ tracer, propagates, attributesFor }, req), close };
}

/** Starts spans; `attributesFor` returns the attributes of a REST call, by its path without an id. */
interface Tracing {
  tracer: Tracer;
  propagates: boolean;
  attributesFor(template: string): Attributes;
}

function createCallAttributes(url: URL | null): Tracing['attributesFor'] {
  const common = { 'http.request.method': 'GET' };
  if (!url) return (template) => ({ ...common, 'url.template': template });
  const { hostname, port, protocol, origin, pathname } = url;
  const server = {
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  const base = `${origin}${pathname.replace(/\/$/, '')}`;
  return (template) => ({ ...common, ...server, 'url.template': template, 'url.full': base + template });
}

function startOperation(tracing: Tracing, req: IncomingMessage): RequestTrace {
  const { tracer, propagates } = tracing;
  const attributes = { 'http.request.method': req.method };
  const options = { kind: SpanKind.SERVER, startTime: nowMs(), attributes };
  const span = tracer.startSpan('GraphQL operation', options, contextFrom(req));
  const isSampled = span.isRecording();
  return {
    traceId: isSampled ? span.spanContext().traceId : undefined,
    // Undefined if it has nothing to do.
    loadObserver: isSampled || propagates ? createLoadObserver(tracing, span) : undefined,
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

/** W3C Trace Context, 3.2: only a later version than 00 goes on after the flags. */
const TRACEPARENT = /^(?:00(?!.{53}-)|(?!00|ff)[\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;
/** Longest one that is read; version 00 has 55. */
const MAX_TRACEPARENT_CHARACTERS = 128;

/** The trace context that the client sent, unless it is too long or holds part of the client's key. */
function contextFrom({ headers }: IncomingMessage): Context {
  const text = String(headers.traceparent ?? '');
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  if (text.length > MAX_TRACEPARENT_CHARACTERS || !isSpanContextValid(parent)) return ROOT_CONTEXT;
  if (revealsSecret(text, String(headers['x-api-key'] ?? ''))) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Codes of errors that the client does not cause. */
const failures = /^(UPSTREAM_|INTERNAL_SERVER_ERROR$|OVERLOADED$)/;

function describe(span: Span, operation: Operation): void {
  const { type, name, isTrusted, documentHash, codes, key } = operation;
  // A name that any client can choose would make any number of span names.
  if (type !== null) span.updateName(isTrusted && name !== null ? `${type} ${name}` : type);
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
  const failure = codes.find((code) => failures.test(code));
  if (failure === undefined) return;
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', failure);
}

/** A load by a resolver that has no outcome yet; `hasCall`: whether a REST call is below its span. */
interface PendingLoad {
  span: Span;
  hasCall: boolean;
}

/** The place of the span of a call: below the first of the loads that it is for, and linked to the others. */
interface Place {
  parent: Context;
  others: readonly PendingLoad[];
}

/**
 * Starts and ends a span for each load by a resolver below that of the `operation`, and below it one for each REST
 * call, which carries `traceparent` if it `propagates`.
 */
function createLoadObserver(tracing: Tracing, operation: Span): LoadObserver {
  const { tracer, propagates, attributesFor } = tracing;
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
    const options = { kind, startTime, attributes: attributesFor(template) };
    const span = tracer.startSpan(`GET ${route}`, options, parent);
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
    onCall({ path, source, status, durationMs, attempt }) {
      const sent = source === 'network' ? inFlight.get(path) : undefined;
      const span = sent ?? startCall(path, nowMs() - durationMs, SpanKind.INTERNAL);
      if (sent) inFlight.delete(path);
      const isFailure = status === null || (status >= 400 && !isMissing(status));
      const cause = source === 'network' ? '_OTHER' : source;
      span.setAttributes({
        'portico.source': source,
        'http.response.status_code': status ?? undefined,
        'http.request.resend_count': attempt && attempt - 1,
        'error.type': isFailure ? String(status ?? cause) : undefined,
      });
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(nowMs());
    },
  };
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
