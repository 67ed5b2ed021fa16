import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import root from '@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js';
import { onTestFinished } from 'vitest';

/** A received span, with the attributes that tests check. */
export interface Span {
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  links: string[];
  /** 2: an error. */
  status: number;
  startNano: bigint;
  endNano: bigint;
}

interface RawSpan extends Pick<Span, 'name' | 'kind' | 'traceId' | 'spanId' | 'parentSpanId'> {
  attributes: { key: string; value: Record<string, unknown> }[];
  links: { spanId: string }[];
  status?: { code: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

interface RawRequest {
  resourceSpans: { resource: { attributes: RawSpan['attributes'] }; scopeSpans: { spans: RawSpan[] }[] }[];
}

const { ExportTraceServiceRequest } = root.opentelemetry.proto.collector.trace.v1;

/**
 * Receives traces over OTLP/HTTP with protobuf, and decodes them with OpenTelemetry's schema; closes with the
 * test.
 */
export async function startCollector() {
  const spans: Span[] = [];
  const services: unknown[] = [];
  const requests: { path: string | undefined; type: string | undefined; bytes: Buffer }[] = [];
  const news = new EventEmitter();
  const server = createServer(async (req, res) => {
    const bytes = await buffer(req);
    requests.push({ path: req.url, type: req.headers['content-type'], bytes });
    const options = { longs: String, bytes: String, defaults: true };
    const message = ExportTraceServiceRequest.decode(bytes);
    const { resourceSpans } = ExportTraceServiceRequest.toObject(message, options) as RawRequest;
    for (const { resource, scopeSpans } of resourceSpans) {
      services.push(attributesFrom(resource.attributes)['service.name']);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(spanFrom)));
    }
    res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    news.emit('spans');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    services,
    /** All spans, once there are `count`. */
    async spans(count: number): Promise<Span[]> {
      while (spans.length < count) await once(news, 'spans');
      return spans;
    },
  };
}

function spanFrom({ attributes, links, status, startTimeUnixNano, endTimeUnixNano, ...span }: RawSpan): Span {
  return {
    name: span.name,
    kind: span.kind,
    traceId: hexFrom(span.traceId),
    spanId: hexFrom(span.spanId),
    parentSpanId: hexFrom(span.parentSpanId),
    attributes: attributesFrom(attributes),
    links: links.map(({ spanId }) => hexFrom(spanId)),
    status: status?.code ?? 0,
    startNano: BigInt(startTimeUnixNano),
    endNano: BigInt(endTimeUnixNano),
  };
}

function hexFrom(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

function attributesFrom(attributes: RawSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueFrom(value)]));
}

function valueFrom(value: Record<string, unknown>): unknown {
  const { stringValue, intValue, arrayValue } = value as {
    stringValue?: string;
    intValue?: string;
    arrayValue?: { values: Record<string, unknown>[] };
  };
  if (arrayValue) return arrayValue.values.map(valueFrom);
  return intValue === undefined ? stringValue : Number(intValue);
}
