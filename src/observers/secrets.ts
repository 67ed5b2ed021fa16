/** True if a text holds a secret. It must be the text that is written. */
export function revealsSecret(text: string, secret: string): boolean {
  return secret !== '' && text.includes(secret);
}

/** The text, or `[redacted]` if it holds one of the secrets. */
export function redact(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (revealsSecret(text, secret)) return '[redacted]';
  return text;
}
