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
import type { CallObserver } from '../../schema/loaders.ts';
import { startSdk } from './sdk.ts';

interface Tracing {
  tracer: Tracer;
  /** True if REST calls have a `traceparent`. */
  propagates: boolean;
  /** The REST API; null: the demo in this process. */
  upstreamUrl: URL | null;
}

/** Traces operations: a span for each operation, and below it one for each REST call that is sent. */
export function createTracing(options: Omit<Tracing, 'tracer'>, logger: Logger): Observer {
  const { tracer, close } = startSdk(logger);
  const tracing = { ...options, tracer };
  return { trace: (req) => startOperation(tracing, req), close };
}

function startOperation(tracing: Tracing, req: IncomingMessage): RequestTrace {
  const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': req.method } };
  const span = tracing.tracer.startSpan('GraphQL operation', options, contextFrom(req));
  const isSampled = span.isRecording();
  return {
    traceId: isSampled ? span.spanContext().traceId : undefined,
    // Undefined if it has nothing to do.
    callObserver: isSampled || tracing.propagates ? createCallObserver(tracing, span) : undefined,
    end(operation: Operation): void {
      if (isSampled) describe(span, operation);
      span.end();
    },
  };
}

/** W3C Trace Context, 3.2: only a later version than 00 goes on after the flags. */
const TRACEPARENT = /^(?:00(?!.{53}-)|(?!00|ff)[\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;

/** The trace context that the client sent, unless it holds part of the client's key. */
function contextFrom({ headers }: IncomingMessage): Context {
  const [text = '', traceId = '', spanId = '', flags = ''] =
    TRACEPARENT.exec(String(headers.traceparent ?? '')) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  if (!isSpanContextValid(parent) || revealsSecret(text, String(headers['x-api-key'] ?? '')))
    return ROOT_CONTEXT;
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

/** Starts and ends a span for each REST call that is sent for the `operation`. */
function createCallObserver({ tracer, propagates, upstreamUrl }: Tracing, operation: Span): CallObserver {
  const context = trace.setSpan(ROOT_CONTEXT, operation);
  /** By path, which has one call at a time. */
  const inFlight = new Map<string, Span>();
  return {
    onSend(path) {
      const template = templateOf({ path });
      const [route = ''] = template.split('?', 1);
      const options = { kind: SpanKind.CLIENT, attributes: attributesOf(template, upstreamUrl) };
      const span = tracer.startSpan(`GET ${route}`, options, context);
      inFlight.set(path, span);
      return propagates ? traceparentOf(span) : undefined;
    },
    onCall({ path, source, status, attempt }) {
      const span = source === 'network' ? inFlight.get(path) : undefined;
      if (!span) return;
      inFlight.delete(path);
      const isFailure = status === null || (status >= 400 && !isMissing(status));
      span.setAttributes({
        'http.response.status_code': status ?? undefined,
        'http.request.resend_count': attempt && attempt - 1,
        'error.type': isFailure ? String(status ?? '_OTHER') : undefined,
      });
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function attributesOf(template: string, url: URL | null): Attributes {
  return {
    'http.request.method': 'GET',
    'url.template': template,
    ...(url && {
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      'url.full': `${url.origin}${url.pathname.replace(/\/$/, '')}${template}`,
    }),
  };
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
