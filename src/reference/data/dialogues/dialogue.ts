/** Who says it, what, and what comes with it. A `note` is an agent's, and internal. */
export type Line = readonly [
  speaker: 'client' | 'agent' | 'note' | 'system',
  text: string,
  attachment?: string,
];

/** A support case as it was written down. `{client}`, `{agent}` and `{street}` stand for those of the site. */
export interface Dialogue {
  subject: string;
  /** Where it can happen; without it, anywhere. */
  place?: 'home' | 'office';
  type: 'email' | 'chat' | 'phone' | 'sms';
  urgency: 'low' | 'normal' | 'high' | 'emergency';
  labels: readonly string[];
  lines: readonly Line[];
  issue: string;
  resolution: string;
  shortSummary: string;
}
