import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Loaders } from '../loaders.ts';
import type { Caller, UpstreamCall } from '../upstream/caller.ts';
import type { UpstreamClient } from '../upstream/client.ts';
import { templateOf } from './endpoint.ts';

/** The span of an operation, and what is under way below it. */
export interface OperationSpan {
  span: Span;
  tracer: Tracer;
  context: Context;
  /** Whether the REST API is told of the trace. */
  propagates: boolean;
  /** What resolvers wait for, by resource, the first first. */
  loads: Map<string, Load[]>;
}

interface Load {
  span: Span;
  /** Whether a REST call is its child already. */
  hasCall: boolean;
}

/** The clock of the spans: milliseconds since 1970, to the microsecond. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Loaders that make a span of each question of a resolver, until it is answered. */
export function tracedLoaders(loaders: Loaders, operation: OperationSpan): Loaders {
  async function traced<T>(resource: string, include: readonly string[], ask: () => Promise<T>): Promise<T> {
    const name = `load ${resource.split(' ', 1)[0]}`;
    const attributes = include.length > 0 ? { 'portico.include': [...include] } : {};
    const span = operation.tracer.startSpan(name, { startTime: nowMs(), attributes }, operation.context);
    const load = { span, hasCall: false };
    const sameResource = operation.loads.get(resource) ?? [];
    operation.loads.set(resource, [...sameResource, load]);
    try {
      return await ask();
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      const others = operation.loads.get(resource)?.filter((other) => other !== load) ?? [];
      operation.loads.set(resource, others);
      span.end(nowMs());
    }
  }
  return {
    site: (id, include) => traced(`site ${id}`, include, () => loaders.site(id, include)),
    conversationContext: (id) => traced(`conversation ${id}`, [], () => loaders.conversationContext(id)),
    health: () => traced('health', [], () => loaders.health()),
    get calls() {
      return loaders.calls;
    },
    get budget() {
      return loaders.budget;
    },
    get questions() {
      return loaders.questions;
    },
  };
}

/** A client that makes a span of each REST call, below the question that it is made for. */
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
  const underway: Span[] = [];
  const waiting = loads.get(resource)?.filter(({ hasCall }) => !hasCall) ?? [];
  const [first = loads.get(resource)?.at(-1), ...others] = waiting;
  for (const load of waiting) load.hasCall = true;
  const parent = first ? trace.setSpan(context, first.span) : context;

  function begin(path: string, startTime: number, kind: SpanKind): Span {
    const template = templateOf({ path });
    const [route = ''] = template.split('?', 1);
    const attributes = { 'http.request.method': 'GET', 'url.template': template };
    const span = tracer.startSpan(`GET ${route}`, { kind, startTime, attributes }, parent);
    // One call for several questions is the child of the first.
    for (const load of others) load.span.addLink({ context: span.spanContext() });
    return span;
  }

  return {
    ...caller,
    onSend(path) {
      const span = begin(path, nowMs(), SpanKind.CLIENT);
      underway.push(span);
      return propagates ? traceparentOf(span) : undefined;
    },
    report(call) {
      const { source, status, durationMs } = call;
      const made = source === 'network' ? underway.shift() : undefined;
      const span = made ?? begin(call.path, nowMs() - durationMs, SpanKind.INTERNAL);
      span.setAttributes({
        'portico.source': source,
        ...(status !== null && { 'http.response.status_code': status }),
      });
      if (isFailure(call)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(nowMs());
      caller.report?.(call);
    },
  };
}

function isFailure({ status }: UpstreamCall): boolean {
  return status === null || (status >= 400 && status !== 404);
}

/** The kind of error is told; its message could be about data. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (error instanceof Error) span.setAttribute('error.type', error.name);
}

/** What names a span to others (W3C Trace Context, 3.2). */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
