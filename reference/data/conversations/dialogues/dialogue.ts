/** A `note` is an internal message of an agent. */
export type Line = readonly [
  speaker: 'client' | 'agent' | 'note' | 'system',
  text: string,
  attachment?: string,
];

/** A support case. `{client}`, `{agent}` and `{street}` are replaced by those of the site. */
export interface Dialogue {
  subject: string;
  /** The kind of site; undefined for any. */
  place?: 'home' | 'office';
  type: 'email' | 'chat' | 'phone' | 'sms';
  urgency: 'low' | 'normal' | 'high' | 'emergency';
  labels: readonly string[];
  lines: readonly Line[];
  issue: string;
  resolution: string;
  shortSummary: string;
}
