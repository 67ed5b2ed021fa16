/** How many calls an upstream received. */
export interface CallCounts {
  calls: number;
  /** Without calls that overlapped in time with an equal one; null if the upstream does not record that. */
  distinct: number | null;
}

/** A server of the REST API with the fixtures. */
export interface Upstream {
  url: string;
  /** The self-signed certificate that clients have to trust, if the upstream uses TLS. */
  certificateFile: string | undefined;
  counts(): Promise<CallCounts>;
}
