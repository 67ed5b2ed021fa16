/** What one answer may hold. */
export interface ResponseLimits {
  /** Fields and list elements of the data. */
  maxValues: number;
  /** Errors that are listed. */
  maxErrors: number;
}

/** Values of one response: some two megabytes of JSON, and a tenth of a second. */
export const MAX_RESPONSE_VALUES = 100_000;

/** More errors are made than listed, so that the listed ones are the first by their place in the document. */
const errorsForEachListed = 10;

/**
 * Counts what the answer of one operation holds while its fields are resolved, so that an operation stops as soon as
 * its answer is too large. The same resource may be selected any number of times without a REST call, so that the number
 * of calls does not bound the size of an answer.
 */
export class ResponseBudget {
  /** Errors that were not made: their fields are null. */
  omittedErrors = 0;
  readonly limits: ResponseLimits;
  #values = 0;
  #errors = 0;

  constructor(limits: ResponseLimits) {
    this.limits = limits;
  }

  get isExceeded(): boolean {
    return this.#values > this.limits.maxValues;
  }

  /** Counts `values` more; false where the answer is then too large. */
  reserve(values: number): boolean {
    this.#values += values;
    return !this.isExceeded;
  }

  /**
   * The outcome of a field that failed: null, once there are enough errors.
   * @throws the error itself, until then
   */
  fail(error: unknown): null {
    if (this.#errors >= this.limits.maxErrors * errorsForEachListed) {
      this.omittedErrors += 1;
      return null;
    }
    this.#errors += 1;
    throw error;
  }
}
