export const noBytes: Buffer = Buffer.alloc(0);

/**
 * The first `size` bytes of a body, and after them a chunk. A chunk that is the whole body is taken as it is; others
 * are copied into one growing buffer, because a chunk of one byte can retain a buffer many times its size.
 * `expected`: the size of the whole body, if it is known.
 */
export function appended(body: Buffer, size: number, chunk: Buffer, expected = 0): Buffer {
  if (size === 0 && chunk.length >= expected) return chunk;
  const needed = size + chunk.length;
  const whole = needed > body.length ? Buffer.allocUnsafeSlow(Math.max(2 * size, needed, expected)) : body;
  if (whole !== body) body.copy(whole, 0, 0, size);
  chunk.copy(whole, size);
  return whole;
}
