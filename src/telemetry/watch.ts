import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Loaders } from '../loaders.ts';
import { shownName } from './names.ts';
import { type Operation, type Outcome, shownDigest } from './operation.ts';
import { discreet } from './secrets.ts';
import type { OperationTrace } from './tracing.ts';

/** What an operation is, as far as it is known. */
export interface Identity {
  name: string | null;
  documentHash: string;
  isTrusted: boolean;
}

type Answer = ServerResponse & { readonly requestId: string };

/** Notes what becomes of one request. A class, for one is made for every request. */
export class Watch<Params> {
  params: Params | undefined;
  /** The digest of the caller's whole key. */
  owner: string | null = null;
  loaders: Loaders | undefined;
  readonly trace: OperationTrace | undefined;
  readonly #startedAtMs = performance.now();
  readonly #req: IncomingMessage;
  readonly #res: Answer;
  #codes: Set<string> | null = null;
  #hasData = false;

  constructor(req: IncomingMessage, res: Answer, trace: OperationTrace | undefined) {
    this.#req = req;
    this.#res = res;
    this.trace = trace;
  }

  /** Of the answer or of a part of it: the codes of its errors, and whether it holds data all the same. */
  note(codes: readonly string[], hasData: boolean): void {
    this.#hasData ||= hasData;
    if (codes.length === 0) return;
    this.#codes ??= new Set();
    for (const code of codes) this.#codes.add(code);
  }

  /** What there is to be said, to be asked for when it is over. */
  ended(identify: (params: Params) => Identity | undefined): Operation {
    const identity = this.params && identify(this.params);
    const { statusCode, requestId } = this.#res;
    const codes = this.#codes ? [...this.#codes] : codesOfStatus(statusCode);
    return {
      requestId,
      name: identity?.name == null ? null : this.#discreet(shownName(identity.name)),
      documentHash: identity?.documentHash ?? null,
      isTrusted: identity?.isTrusted ?? false,
      outcome: this.#outcome(codes),
      status: statusCode,
      durationMs: Math.round((performance.now() - this.#startedAtMs) * 1000) / 1000,
      codes,
      key: this.owner === null ? null : shownDigest(this.owner),
      traceId: this.trace?.traceId,
      calls: this.loaders?.calls ?? [],
      questions: this.loaders?.questions ?? 0,
    };
  }

  #outcome(codes: readonly string[]): Outcome {
    if (!this.#res.writableFinished) return 'abandoned';
    if (codes.length === 0) return 'ok';
    return this.#hasData ? 'partial' : 'refused';
  }

  #discreet(name: string): string {
    const key = this.#req.headers['x-api-key'];
    return key === undefined ? name : discreet(name, [String(key)]);
  }
}

const none: readonly string[] = [];

/** What the front door itself refuses, it refuses with these. */
function codesOfStatus(status: number): readonly string[] {
  if (status < 400) return none;
  if (status === 503) return ['OVERLOADED'];
  return [status === 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST'];
}
