/** The types that these libraries lack, as far as the tests need them. */

declare module 'parse-prometheus-text-format' {
  function parse(text: string): parse.Family[];
  namespace parse {
    interface Family {
      name: string;
      type: string;
      metrics: { value: string; labels?: Record<string, string> }[];
    }
  }
  export = parse;
}

declare module '@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js' {
  interface Message {
    decode(bytes: Uint8Array): unknown;
    toObject(message: unknown, options: { longs: unknown; bytes: unknown; defaults: boolean }): unknown;
  }
  const root: {
    opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Message } } } } };
  };
  export = root;
}
