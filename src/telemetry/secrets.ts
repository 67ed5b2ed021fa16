/** So many consecutive characters of a key identify it; fewer occur in a text by chance. */
const IDENTIFYING = 9;

/** Whether a text holds a secret, or an identifying part of it. */
export function revealsSecret(text: string, secret: string): boolean {
  const [short, long] = text.length < secret.length ? [text, secret] : [secret, text];
  for (let start = 0; start + IDENTIFYING <= short.length; start += 1) {
    if (long.includes(short.slice(start, start + IDENTIFYING))) return true;
  }
  return false;
}

/** The text, or `[redacted]` where it reveals one of the secrets. */
export function redact(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (revealsSecret(text, secret)) return '[redacted]';
  return text;
}
