/** A number that metrics read at each scrape: a counter if its name ends in `_total`, otherwise a gauge. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** The number now, or one for each value of the label. */
  read(): number | ReadonlyMap<string, number>;
  /** Present if there is one for each value; the `known` values start at 0. */
  readonly label?: { readonly name: string; readonly known: readonly string[] };
}
