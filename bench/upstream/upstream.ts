/** A server of the REST API with the fixtures, which counts who asks. */
export interface Upstream {
  url: string;
  /** How many calls came since it started. */
  calls(): Promise<number>;
}
