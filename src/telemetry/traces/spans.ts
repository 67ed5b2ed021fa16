import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Loaders } from '../../loaders.ts';
import type { Caller, UpstreamCall } from '../../upstream/caller.ts';
import type { UpstreamClient } from '../../upstream/client.ts';
import { templateOf } from '../endpoint.ts';

/** The span of an operation, and the active spans below it. */
export interface OperationSpan {
  span: Span;
  tracer: Tracer;
  context: Context;
  /** Whether REST calls carry `traceparent`. */
  propagates: boolean;
  /** The pending loader calls by resource, in order. */
  loads: Map<string, Load[]>;
}

interface Load {
  span: Span;
  /** Whether it has the span of a REST call as its child. */
  hasCall: boolean;
}

/** The time of spans: milliseconds since the Unix epoch, with microseconds. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Wraps loaders: a span for each call by a resolver. */
export function tracedLoaders(loaders: Loaders, operation: OperationSpan): Loaders {
  async function traced<T>(resource: string, include: readonly string[], load: () => Promise<T>): Promise<T> {
    const name = `load ${resource.split(' ', 1)[0]}`;
    const attributes = include.length > 0 ? { 'portico.include': [...include] } : {};
    const span = operation.tracer.startSpan(name, { startTime: nowMs(), attributes }, operation.context);
    const pending = { span, hasCall: false };
    const sameResource = operation.loads.get(resource) ?? [];
    operation.loads.set(resource, [...sameResource, pending]);
    try {
      return await load();
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      const others = operation.loads.get(resource)?.filter((other) => other !== pending) ?? [];
      operation.loads.set(resource, others);
      span.end(nowMs());
    }
  }
  return {
    site: (id, include, field) => traced(`site ${id}`, include, () => loaders.site(id, include, field)),
    conversationContext: (id, field) =>
      traced(`conversation ${id}`, [], () => loaders.conversationContext(id, field)),
    health: (field) => traced('health', [], () => loaders.health(field)),
    get calls() {
      return loaders.calls;
    },
    get budget() {
      return loaders.budget;
    },
    get loadCount() {
      return loaders.loadCount;
    },
    get mergesTick() {
      return loaders.mergesTick;
    },
    set mergesTick(merges) {
      loaders.mergesTick = merges;
    },
    record: () => loaders.record(),
  };
}

/** Wraps a client: a span for each REST call, below the loader call that it is for. */
export function tracedClient(client: UpstreamClient, operation: OperationSpan): UpstreamClient {
  const traced = (caller: Caller, resource: string) => tracedCaller(caller, resource, operation);
  return {
    getSite: (caller, id, include) => client.getSite(traced(caller, `site ${id}`), id, include),
    getConversationContext: (caller, id) =>
      client.getConversationContext(traced(caller, `conversation ${id}`), id),
    getHealth: (caller) => client.getHealth(traced(caller, 'health')),
    close: () => client.close(),
  };
}

function tracedCaller(caller: Caller, resource: string, operation: OperationSpan): Caller {
  const { tracer, context, loads, propagates } = operation;
  const inFlight: Span[] = [];
  const waiting = loads.get(resource)?.filter(({ hasCall }) => !hasCall) ?? [];
  const [first = loads.get(resource)?.at(-1), ...others] = waiting;
  for (const load of waiting) load.hasCall = true;
  const parent = first ? trace.setSpan(context, first.span) : context;

  function startSpan(path: string, startTime: number, kind: SpanKind): Span {
    const template = templateOf({ path });
    const [route = ''] = template.split('?', 1);
    const attributes = { 'http.request.method': 'GET', 'url.template': template };
    const span = tracer.startSpan(`GET ${route}`, { kind, startTime, attributes }, parent);
    // A call for several loader calls is the child of the first, and linked to the others.
    for (const load of others) load.span.addLink({ context: span.spanContext() });
    return span;
  }

  return {
    ...caller,
    onSend(path) {
      const span = startSpan(path, nowMs(), SpanKind.CLIENT);
      inFlight.push(span);
      return propagates ? traceparentOf(span) : undefined;
    },
    report(call, startedAtMs) {
      const { source, status, durationMs } = call;
      const sent = source === 'network' ? inFlight.shift() : undefined;
      const span = sent ?? startSpan(call.path, nowMs() - durationMs, SpanKind.INTERNAL);
      span.setAttributes({
        'portico.source': source,
        ...(status !== null && { 'http.response.status_code': status }),
      });
      if (isFailure(call)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(nowMs());
      caller.report?.(call, startedAtMs);
    },
  };
}

function isFailure({ status }: UpstreamCall): boolean {
  return status === null || (status >= 400 && status !== 404);
}

/** Records the name of the error only: its message could hold data. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (error instanceof Error) span.setAttribute('error.type', error.name);
}

/** The `traceparent` of a span (W3C Trace Context, 3.2). */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
