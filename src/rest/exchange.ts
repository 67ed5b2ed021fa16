import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { appended, type BodyRoom, LARGE_BODY_BYTES, noBytes } from './bodies.ts';
import {
  type Done,
  isMissing,
  notify,
  type OnFailure,
  type Outcome,
  reportCall,
  type UpstreamRequest,
  type UpstreamResponse,
} from './call.ts';
import type { Caller } from './caller.ts';
import {
  UpstreamCancelled,
  UpstreamInvalidResponse,
  UpstreamUnavailable,
  UpstreamUnreached,
} from './errors.ts';
import { retryAfterFrom } from './http-date.ts';
import { isObject, parse, textOf } from './json.ts';
import type { Deprecation, Notices } from './notices.ts';

export interface ExchangeOptions {
  maxUpstreamBytes: number;
  readNotices?: ((response: UpstreamResponse) => Notices | null) | undefined;
  onFailure?: OnFailure | undefined;
  /** Called for each response that says that the REST API is deprecated. */
  onDeprecation?: ((deprecation: Deprecation) => void) | undefined;
}

/** Reads the response to one request from undici, and reports how the call has ended. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  /** Null once the call is over: undici refers to this object long after that (decision 18). */
  #request: UpstreamRequest | null;
  #done: Done;
  readonly #room: BodyRoom;
  /** The room that is taken for the body. */
  #taken = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers = noFields;
  #body = noBytes;
  #size = 0;
  /** The `Content-Length`; not a number without one. */
  #declared = Number.NaN;

  constructor(options: ExchangeOptions, room: BodyRoom, request: UpstreamRequest, done: Done) {
    this.#options = options;
    this.#room = room;
    this.#request = request;
    this.#done = done;
  }

  get isOver(): boolean {
    return this.#request === null;
  }

  readonly onAbort = () => {
    if (this.#request) this.#abort(this.#request, this.#request.signal.reason);
  };

  /** Ends the call and its connection, at once. */
  #abort(request: UpstreamRequest, reason: Error): void {
    // Before the abort: undici reports it to this object too.
    this.#request = null;
    this.#controller?.abort(reason);
    this.#end(request, reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for its connection: what is in undici's queue cannot be taken out of it.
    if (this.isOver) controller.abort(new UpstreamCancelled());
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (!this.#request) return;
    const { maxUpstreamBytes } = this.#options;
    if (this.#size === 0) this.#declared = Number(this.#headers['content-length']);
    // Only a body with room of its own takes what it declares at once.
    const most = this.#taken > 0 ? maxUpstreamBytes : LARGE_BODY_BYTES;
    this.#body = appended(this.#body, this.#size, chunk, Math.min(this.#declared || 0, most));
    this.#size += chunk.length;
    if (this.#size > maxUpstreamBytes)
      this.#abort(this.#request, new UpstreamInvalidResponse(`it is larger than ${maxUpstreamBytes} bytes`));
    else if (this.#size > LARGE_BODY_BYTES && this.#taken === 0) this.takeRoom();
  }

  /** Reads on when there is room for a body of this size. */
  takeRoom(): void {
    if (!this.#request) return;
    const { maxUpstreamBytes } = this.#options;
    const bytes = Math.min(this.#declared || maxUpstreamBytes, maxUpstreamBytes);
    if (!this.#room.take(this.#request.caller.key.hash, bytes)) {
      this.#room.waiting.add(this);
      this.#controller?.pause();
      return;
    }
    this.#taken = bytes;
    // Later: undici's parser, in which another body ends, cannot be entered again.
    if (this.#room.waiting.delete(this)) setImmediate(() => !this.isOver && this.#controller?.resume());
  }

  onResponseEnd(): void {
    if (this.#request) this.#end(this.#request, this.#outcome(this.#request));
  }

  #outcome({ target }: UpstreamRequest): Outcome {
    const [status, headers] = [this.#status, this.#headers];
    const body = this.#body.length === this.#size ? this.#body : this.#body.subarray(0, this.#size);
    if (isFromElsewhere(status, body)) return new UpstreamUnreached(status);
    const retryAfter = status === 429 ? retryAfterFrom(headers) : undefined;
    const response: UpstreamResponse = {
      status,
      headers,
      body,
      sentPath: target.path,
      retryAfter,
      notices: null,
      isCounted: false,
      isStored: false,
      resource: undefined,
    };
    response.notices = this.#options.readNotices?.(response) ?? null;
    return response;
  }

  onResponseError(_: unknown, cause: Error): void {
    if (!this.#request) return;
    const isBegun = this.#status > 0;
    const error = isBegun
      ? new UpstreamInvalidResponse('it is incomplete', { cause })
      : new UpstreamUnavailable(null, { cause });
    this.#end(this.#request, error);
  }

  /** Gives the room back; the part of the parsed body only when the operation ends. */
  #leaveRoom({ key, budget, signal }: Caller, isFailed: boolean): void {
    const room = this.#room;
    // Only the call of an operation has a budget.
    const isHeld = budget && !isFailed && !signal.aborted;
    const held = isHeld ? Math.min(this.#size, this.#taken) : 0;
    room.waiting.delete(this);
    room.giveBack(key.hash, this.#taken - held);
    // Without `this`, which has the body.
    if (isHeld) signal.addEventListener('abort', () => room.giveBack(key.hash, held));
  }

  #end(request: UpstreamRequest, outcome: Outcome): void {
    const { caller, target, startedAtMs, signal, attempt } = request;
    const done = this.#done;
    this.#request = null;
    this.#done = ignored;
    this.#controller = undefined;
    this.#body = noBytes;
    this.#headers = noFields;
    signal.removeEventListener('abort', this.onAbort);
    const error = outcome instanceof Error ? outcome : undefined;
    const { status = null, retryAfter, notices } = outcome instanceof Error ? noResponse : outcome;
    if (notices) notify(caller.onNotices, notices);
    if (notices?.deprecation) notify(this.#options.onDeprecation, notices.deprecation);
    const call = reportCall(caller, target.path, startedAtMs, 'network', status, { retryAfter, attempt });
    const isExpected = status === 200 || isMissing(status);
    if (!isExpected && !(error instanceof UpstreamCancelled))
      notify(this.#options.onFailure, call, caller, error);
    done(outcome);
    if (this.#size > LARGE_BODY_BYTES) this.#leaveRoom(caller, error !== undefined);
  }
}

const ignored: Done = () => {};
const noFields: IncomingHttpHeaders = {};
const noResponse: Partial<UpstreamResponse> = {};
const denials = new Set([401, 403, 404, 410]);

/** True if a firewall or a proxy denies the resource: the REST API sends a JSON object. */
function isFromElsewhere(status: number, body: Buffer): boolean {
  if (!denials.has(status)) return false;
  try {
    return !isObject(parse(textOf(body)));
  } catch {
    return true;
  }
}
