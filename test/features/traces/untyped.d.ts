/** The types that this library lacks, as far as the tests need them. */

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
