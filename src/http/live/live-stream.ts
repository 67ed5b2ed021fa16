import type { GraphQLError } from 'graphql';
import type { Subscriber } from '../../operation/live/group.ts';
import type { LiveEvent } from '../../operation/live/live-execution.ts';
import type { StreamType } from '../../operation/response/accept.ts';
import type { GatewayResponse } from '../server/gateway-response.ts';
import type { Heartbeats } from './heartbeats.ts';
import { bytesOfEvent, formats } from './stream-format.ts';

export interface LiveStreamOptions {
  heartbeats: Heartbeats;
  /** Called with the first event, before it is written. */
  onFirst(event: LiveEvent): void;
  /** Called in place of that. */
  onRefused(error: GraphQLError): void;
}

/**
 * Writes the events of a live query. Nothing is sent before the first one. While the client does not read, only the newest
 * event waits; a client that reads nothing for `REQUEST_TIMEOUT_MS` is disconnected, as with every response.
 */
export class LiveStream implements Subscriber {
  readonly #res: GatewayResponse;
  readonly #type: StreamType;
  readonly #options: LiveStreamOptions;
  #stopHeartbeat: (() => void) | undefined;
  /** Whether the connection has not taken all of the last write. */
  #isWriting = false;
  #newest: LiveEvent | undefined;
  #isOver = false;
  /** What ends the stream, once the newest event is written. */
  #end: string | undefined;

  constructor(res: GatewayResponse, type: StreamType, options: LiveStreamOptions) {
    this.#res = res;
    this.#type = type;
    this.#options = options;
  }

  onEvent(event: LiveEvent): void {
    if (this.#isOver) return;
    if (!this.#stopHeartbeat) this.#start(event);
    else if (this.#isWriting) this.#newest = event;
    else this.#write(bytesOfEvent(event, this.#type));
  }

  onComplete(): void {
    this.#endWith(formats[this.#type].complete);
  }

  onRefused(error: GraphQLError): void {
    this.#isOver = true;
    this.#options.onRefused(error);
  }

  /** To be called when the connection is closed. */
  close(): void {
    this.#isOver = true;
    this.#newest = undefined;
    this.#stopHeartbeat?.();
  }

  #start(event: LiveEvent): void {
    const { contentType, start, heartbeat } = formats[this.#type];
    this.#options.onFirst(event);
    // nginx passes each event on at once.
    this.#res.writeHead(200, { 'content-type': contentType, 'x-accel-buffering': 'no' });
    this.#res.onDrain = () => this.#endWith('');
    this.#stopHeartbeat = this.#options.heartbeats.add(() => {
      if (!this.#isWriting && !this.#isOver) this.#write(heartbeat);
    });
    this.#write(Buffer.concat([Buffer.from(start), bytesOfEvent(event, this.#type)]));
    if (this.#res.isDraining) this.#endWith('');
  }

  #write(bytes: Buffer | string): void {
    this.#isWriting = true;
    this.#res.write(bytes, this.#onWritten);
  }

  readonly #onWritten = () => {
    this.#isWriting = false;
    const event = this.#newest;
    this.#newest = undefined;
    if (event) this.#write(bytesOfEvent(event, this.#type));
    else if (this.#end !== undefined) this.#finish();
  };

  /**
   * With an empty `end` the client is to connect again. The response is cut off: after a proper end some clients (urql) take the
   * stream for complete. The response has no `Connection: close`, with which Node's `fetch` takes a cut for a proper end.
   */
  #endWith(end: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end = end;
    if (!this.#isWriting) this.#finish();
  }

  #finish(): void {
    this.#stopHeartbeat?.();
    if (this.#end === '') this.#res.socket?.destroy();
    else this.#res.end(this.#end);
  }
}
