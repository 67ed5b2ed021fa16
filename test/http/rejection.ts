import { expect } from 'vitest';

/** Expects one error response with this status and `Connection: close`. */
export function expectRejection(text: string, status: number) {
  const [head = '', json = ''] = text.split('\r\n\r\n');
  const lines = head.toLowerCase().split('\r\n');
  expect(lines[0]).toMatch(new RegExp(`^http/1.1 ${status} [a-z]`));
  expect(lines).toEqual(
    expect.arrayContaining([
      'content-type: application/json; charset=utf-8',
      `content-length: ${json.length}`,
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'connection: close',
    ]),
  );
  expect(JSON.parse(json)).toEqual({
    errors: [{ message: expect.any(String), extensions: { code: 'BAD_REQUEST' } }],
  });
}
