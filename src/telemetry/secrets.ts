/** So many consecutive characters of a key identify it; fewer occur in a text by chance. */
const IDENTIFYING = 9;

/**
 * Whether a text holds a secret, or an identifying part of it. Takes time in proportion to the sum of both
 * lengths, because clients choose both.
 */
export function revealsSecret(text: string, secret: string): boolean {
  const [short, long] = text.length < secret.length ? [text, secret] : [secret, text];
  const parts = new Set<string>();
  const partAt = (whole: string, start: number) => whole.slice(start, start + IDENTIFYING);
  for (let start = 0; start + IDENTIFYING <= short.length; start += 1) parts.add(partAt(short, start));
  if (parts.size === 0) return false;
  for (let start = 0; start + IDENTIFYING <= long.length; start += 1) {
    if (parts.has(partAt(long, start))) return true;
  }
  return false;
}

/** The text, or `[redacted]` where it reveals one of the secrets. */
export function redact(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (revealsSecret(text, secret)) return '[redacted]';
  return text;
}
