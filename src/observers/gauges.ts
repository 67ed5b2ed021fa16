/** A number that metrics read at each scrape: a counter if its name ends in `_total`, otherwise a gauge. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** The number now, or one for each value of the label. */
  read(): number | ReadonlyMap<string, number>;
  /** The name of the label, if there is one for each value. */
  readonly label?: string;
}
