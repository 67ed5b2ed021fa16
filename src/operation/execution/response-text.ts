import type { Context } from '../../schema/builder.ts';
import { whenSettled } from '../../sync-promise.ts';

/** Values of variables or arguments, coerced. */
export type Values = Record<string, unknown>;

/** Writes a value of one type as JSON. Throws where graphql-js would report an error. */
export type Write = (value: unknown, out: Text, execution: Execution) => void;

/** A part of the JSON text of a response. Parts whose data is still being loaded are gaps, which are filled later. */
export class Text {
  text = '';
  #before: (string | Text)[] | null = null;

  /** The part that continues here once it is loaded. */
  gap(): Text {
    const gap = new Text();
    this.#before ??= [];
    this.#before.push(this.text, gap);
    this.text = '';
    return gap;
  }

  join(): string {
    if (this.#before === null) return this.text;
    let whole = '';
    for (const part of this.#before) whole += typeof part === 'string' ? part : part.join();
    return whole + this.text;
  }
}

/** What graphql-js would report: the reason is of no interest, because the full pipeline finds it again. */
export const failure = new Error('The full pipeline reports the error.');

/** One execution of a compiled operation. */
export class Execution {
  readonly context: Context;
  readonly variables: Values;
  readonly #maxBytes: number;
  readonly #onText: (text: string | undefined) => void;
  readonly #root = new Text();
  /** Gaps that are not filled, and the root. */
  #pending = 1;
  /** Characters before the gaps and in the filled ones: the least that they take in bytes. */
  #written = 0;
  #isOver = false;

  /**
   * `onText` gets the response, once; undefined where it would have an error or more than `maxBytes`, which the full
   * pipeline reports.
   */
  constructor(
    context: Context,
    variables: Values,
    maxBytes: number,
    onText: (text: string | undefined) => void,
  ) {
    this.context = context;
    this.variables = variables;
    this.#maxBytes = maxBytes;
    this.#onText = onText;
  }

  start(write: Write): void {
    this.#fill(this.#root, undefined, write);
  }

  /** Writes the value of a promise where `out` is now. */
  writeLater(promise: Promise<unknown>, out: Text, write: Write): void {
    this.#written += out.text.length;
    const gap = out.gap();
    this.#pending += 1;
    whenSettled(
      promise,
      (value) => this.#fill(gap, value, write),
      () => this.#end(undefined),
    );
  }

  /** Called after every field and element, so that a text grows by one value at most once it is too long. */
  checkSize(out: Text): void {
    if (this.#written + out.text.length > this.#maxBytes) throw failure;
  }

  #fill(gap: Text, value: unknown, write: Write): void {
    if (this.#isOver) return;
    try {
      write(value, gap, this);
      this.checkSize(gap);
    } catch {
      this.#end(undefined);
      return;
    }
    this.#written += gap.text.length;
    this.#pending -= 1;
    if (this.#pending === 0) this.#end(this.#textWithin());
  }

  #textWithin(): string | undefined {
    const text = this.#root.join();
    // A character takes three bytes at most.
    const isWithin = text.length * 3 <= this.#maxBytes || Buffer.byteLength(text) <= this.#maxBytes;
    return isWithin ? text : undefined;
  }

  #end(text: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onText(text);
  }
}
