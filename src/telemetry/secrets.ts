/** So many characters in a row tell whose key it is; fewer stand in a text by chance. */
const TELLING = 9;

/** Whether a text holds a secret, or as much of it as tells whose it is. */
export function tellsOf(text: string, secret: string): boolean {
  const [short, long] = text.length < secret.length ? [text, secret] : [secret, text];
  for (let start = 0; start + TELLING <= short.length; start += 1) {
    if (long.includes(short.slice(start, start + TELLING))) return true;
  }
  return false;
}

/** The text, or a word in its place where it tells of one of the secrets. */
export function discreet(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (tellsOf(text, secret)) return '[redacted]';
  return text;
}
