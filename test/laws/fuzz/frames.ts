import fc from 'fast-check';

/** Declares the length of a body in the head, and writes it. */
export type Frame = (body: string) => { lines: string[]; bytes: string };

export const asItIs: Frame = (body) => ({ lines: [], bytes: body });
export const measured: Frame = (body) => ({ lines: [`Content-Length: ${body.length}`], bytes: body });

/** Frames of every kind, with the key of the case in one of them. */
export function framesOf(key: string): fc.Arbitrary<Frame> {
  return fc.oneof(
    { weight: 3, arbitrary: chunkings(key) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(-1, 1, -1000, 1000, 200_000).map(
        (off): Frame =>
          (body) => ({ lines: [`Content-Length: ${body.length + off}`], bytes: body }),
      ),
    },
    { weight: 1, arbitrary: fc.constant(asItIs) },
    {
      weight: 1,
      arbitrary: fc.constant<Frame>((body) => ({
        lines: [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
        bytes: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.constant<Frame>((body) => ({
        lines: [`Content-Length: ${body.length}`, `Content-Length: ${body.length}`],
        bytes: body,
      })),
    },
  );
}

function chunkings(key: string): fc.Arbitrary<Frame> {
  const sizes = fc.constantFrom(
    ...Array<(size: string) => string>(12).fill((size) => size),
    ...[
      (size: string) => size.toUpperCase(),
      (size: string) => `000${size}`,
      (size: string) => `${size};a=b`,
      (size: string) => `${size} `,
    ],
    ...[
      (size: string) => `0x${size}`,
      (size: string) => `-${size}`,
      () => 'zz',
      () => '',
      () => 'ffffffffffffffffffff',
    ],
    ...[
      (size: string) => `${size};${'a'.repeat(20_000)}`,
      (size: string) => `${size}0`,
      (size: string) => `${size};"`,
    ],
  );
  const ends = fc.constantFrom(
    ...Array<string>(6).fill('0\r\n\r\n'),
    ...[
      '0\r\n',
      '',
      '0\n\n',
      '00\r\n\r\n',
      '0;a\r\n\r\n',
      `0\r\nX-Api-Key: ${key}\r\n\r\n`,
      '0\r\nContent-Length: 5\r\n\r\n',
      '0\r\nx\r\n\r\n',
    ],
  );
  return fc.tuple(fc.integer({ min: 1, max: 200 }), sizes, ends).map(
    ([length, size, end]): Frame =>
      (body) => {
        const step = Math.max(length, Math.ceil(body.length / 100));
        const pieces = Array.from({ length: Math.ceil(body.length / step) }, (_, n) =>
          body.slice(n * step, (n + 1) * step),
        );
        const last = pieces.length - 1;
        const chunks = pieces.map((piece, n) => {
          const declared = piece.length.toString(16);
          return `${n === last ? size(declared) : declared}\r\n${piece}\r\n`;
        });
        return { lines: ['Transfer-Encoding: chunked'], bytes: chunks.join('') + end };
      },
  );
}
