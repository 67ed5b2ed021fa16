export const noBytes: Buffer = Buffer.alloc(0);

/**
 * The first `size` bytes of a body, and after them a chunk. The first chunk is taken as it is; further ones are
 * copied into one growing buffer, because a chunk of one byte can retain a buffer many times its size.
 */
export function appended(body: Buffer, size: number, chunk: Buffer): Buffer {
  if (size === 0) return chunk;
  const needed = size + chunk.length;
  const whole = needed > body.length ? Buffer.allocUnsafeSlow(Math.max(2 * size, needed)) : body;
  if (whole !== body) body.copy(whole, 0, 0, size);
  chunk.copy(whole, size);
  return whole;
}
