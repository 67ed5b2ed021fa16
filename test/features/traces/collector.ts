import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listen } from '../../support/ports.ts';

/** A received span, with the attributes that tests check. */
export interface Span {
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** 2: an error. */
  status: number;
  startNano: bigint;
  endNano: bigint;
}

/** The fields of a protobuf message by their numbers: numbers as bigint, everything else as bytes. */
class Message {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const readVarint = () => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++] ?? 0;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    const readBytes = (length: number) => {
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = Number(readVarint());
      const wireType = tag & 7;
      const value =
        wireType === 0
          ? readVarint()
          : wireType === 1
            ? readBytes(8).readBigUInt64LE()
            : readBytes(wireType === 2 ? Number(readVarint()) : 4);
      this.#fields.set(tag >> 3, [...(this.#fields.get(tag >> 3) ?? []), value]);
    }
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  integer(field: number): bigint {
    return BigInt((this.#fields.get(field)?.[0] as bigint | undefined) ?? 0);
  }

  text(field: number, encoding: BufferEncoding = 'utf8'): string {
    return ((this.#fields.get(field)?.[0] as Buffer | undefined) ?? Buffer.of()).toString(encoding);
  }

  messages(field: number): Message[] {
    return (this.#fields.get(field) ?? []).map((bytes) => new Message(bytes as Buffer));
  }
}

/** Receives traces over OTLP/HTTP, and decodes the protobuf by the numbers of OpenTelemetry. */
export async function startCollector() {
  const spans: Span[] = [];
  const resources: Record<string, unknown>[] = [];
  const requests: { path: string | undefined; headers: IncomingHttpHeaders; bytes: Buffer }[] = [];
  const news = new EventEmitter();
  const server = createServer(async (req, res) => {
    const sent = await buffer(req);
    const bytes = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests.push({ path: req.url, headers: req.headers, bytes });
    for (const resourceSpans of new Message(bytes).messages(1)) {
      resources.push(...resourceSpans.messages(1).map((resource) => attributesIn(resource.messages(1))));
      spans.push(...resourceSpans.messages(2).flatMap((scope) => scope.messages(2).map(spanFrom)));
    }
    res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    news.emit('spans');
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    requests,
    resources,
    /** All spans, once there are `count`. */
    async spans(count: number): Promise<Span[]> {
      while (spans.length < count) await once(news, 'spans');
      return spans;
    },
  };
}

function spanFrom(span: Message): Span {
  return {
    name: span.text(5),
    kind: Number(span.integer(6)),
    traceId: span.text(1, 'hex'),
    spanId: span.text(2, 'hex'),
    parentSpanId: span.text(4, 'hex'),
    attributes: attributesIn(span.messages(9)),
    status: Number(span.messages(15)[0]?.integer(3) ?? 0),
    startNano: span.integer(7),
    endNano: span.integer(8),
  };
}

function attributesIn(pairs: Message[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map((pair) => [pair.text(1), pair.messages(2).map(valueFrom)[0]]));
}

/** A text, an integer or a list. */
function valueFrom(value: Message): unknown {
  if (value.has(5)) return value.messages(5).flatMap((list) => list.messages(1).map(valueFrom));
  return value.has(3) ? Number(value.integer(3)) : value.text(1);
}
