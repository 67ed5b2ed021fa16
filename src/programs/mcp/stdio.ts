import type { JSONRPCMessage, McpServerFactory, RequestId, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { invalidRequest, readMessage } from './messages.ts';

/** Serves on standard input and output until the input ends. A message has at most `maxBytes`. */
export function startStdio(mcp: McpServerFactory, maxBytes: number): void {
  // The tools never change: no client has a reason to subscribe.
  serveStdio(mcp, { maxSubscriptions: 1, transport: new LineTransport(maxBytes) });
}

/**
 * The messages on standard input and output, one a line. Unlike the transport of the SDK it responds to a line
 * that is no message, and to a request with the id of another one in progress, because the SDK cancels the
 * latest one of an id alone.
 */
class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly #maxBytes: number;
  /** The ids of the requests in progress. */
  readonly #active = new Set<RequestId>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async start(): Promise<void> {
    const close = () => this.close();
    process.stdout.on('error', close);
    this.#read(process.stdin).then(close, close);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#active.delete(message.id);
    write(message);
  }

  async close(): Promise<void> {
    process.stdin.destroy();
    this.onclose?.();
  }

  async #read(input: AsyncIterable<Buffer>): Promise<void> {
    let line: Buffer = Buffer.alloc(0);
    for await (const chunk of input) {
      let start = 0;
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
        this.#receive(this.#join(line, chunk.subarray(start, end)));
        line = line.subarray(0, 0);
        start = end + 1;
      }
      line = this.#join(line, chunk.subarray(start));
    }
  }

  /** One byte more than a message may have is enough to know that it is too long. */
  #join(line: Buffer, more: Buffer): Buffer {
    return Buffer.concat([line, more.subarray(0, this.#maxBytes + 1 - line.length)]);
  }

  #receive(line: Buffer): void {
    if (line.toString('latin1').trim() === '') return;
    if (line.length > this.#maxBytes) {
      write(invalidRequest(`A message has at most ${this.#maxBytes} bytes.`));
      return;
    }
    const { message, error } = readMessage(line);
    if (error) write(error);
    else this.#follow(message);
  }

  /** Passes a message on, unless its id is that of a request in progress. */
  #follow(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) {
      if (this.#active.has(message.id))
        return void write(invalidRequest('Another request with this id is in progress.', message));
      this.#active.add(message.id);
    }
    // One that is cancelled gets no response.
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#active.delete(message.params?.requestId as RequestId);
    this.onmessage?.(message);
  }
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
