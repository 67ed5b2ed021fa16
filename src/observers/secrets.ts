/** This many consecutive characters of a key identify it; fewer occur in a text by chance. */
const IDENTIFYING = 9;

/** Such a part covers one of the blocks of this length into which a text is divided. */
const BLOCK = (IDENTIFYING + 1) / 2;
/** Longest text whose blocks are looked up first, one by one. */
const MAX_BLOCKS_LENGTH = 128;

/**
 * Returns true if a text holds a secret, or an identifying part of it, as it is or percent-encoded, in any capitals. It
 * must be the text that is written. Takes time in proportion to both lengths, because clients choose both.
 */
export function revealsSecret(text: string, secret: string): boolean {
  const [folded] = readingsOf(secret);
  // A short one is identified by the whole.
  const isShort = folded !== '' && folded.length < IDENTIFYING;
  return readingsOf(text).some((one) => (isShort ? one.includes(folded) : sharePart(one, folded)));
}

/** The text, then what it is decoded to, once and again; without capitals and backslashes, which URLs replace. */
function readingsOf(text: string): [string, ...string[]] {
  const fold = (one: string) => one.toLowerCase().replaceAll('\\', '/');
  const readings: [string, ...string[]] = [fold(text)];
  for (let [last] = readings; readings.length < 5 && /%[\da-f]{2}/.test(last); readings.push(last))
    last = fold(
      last.replace(/%([\da-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  return readings;
}

/** True if two texts have a part in common that identifies a secret. */
function sharePart(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const sharesBlock = () => partsOf(short, BLOCK, BLOCK).some((block) => long.includes(block));
  // Most texts share none, and to search costs far less than a set.
  if (short.length <= MAX_BLOCKS_LENGTH && !sharesBlock()) return false;
  const parts = new Set(partsOf(short, IDENTIFYING, 1));
  return partsOf(long, IDENTIFYING, 1).some((part) => parts.has(part));
}

/** The parts of this length, which begin every `step` characters. */
function partsOf(text: string, length: number, step: number): string[] {
  const count = Math.max(0, Math.floor((text.length - length) / step) + 1);
  return Array.from({ length: count }, (_, n) => text.slice(n * step, n * step + length));
}

/** The text, or `[redacted]` if it reveals one of the secrets. */
export function redact(text: string, secrets: Iterable<string>): string {
  for (const secret of secrets) if (revealsSecret(text, secret)) return '[redacted]';
  return text;
}
