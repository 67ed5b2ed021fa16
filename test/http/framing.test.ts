import { expect, it } from 'vitest';
import { apiKey, startBoth } from '../support/gateway.ts';
import { bodyOf, openWire, postOf, sendRaw } from '../support/wire.ts';
import { expectRejection } from './rejection.ts';

/** A request that reaches the upstream if it is accepted. */
const good = (id: string) => postOf(`{ site(id: "SITE-${id}") { id } }`);

const post = `POST /graphql HTTP/1.1\r\nhost: a\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\n`;
const body = bodyOf('{ site(id: "SITE-smuggled") { id } }');
const length = `content-length: ${body.length}\r\n`;
const chunked = 'transfer-encoding: chunked\r\n';
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
const chunks = `${chunk}0\r\n\r\n`;

/** Bytes that two servers can read as different requests: some are rejected by Node, others by us. */
const shapes: Record<string, string> = {
  'Content-Length with Transfer-Encoding': `${post}${length}${chunked}\r\n${chunks}`,
  'Transfer-Encoding with Content-Length': `${post}${chunked}${length}\r\n${chunks}`,
  'two Content-Length that differ': `${post}${length}content-length: 1\r\n\r\n${body}`,
  'two Content-Length that agree': `${post}${length}${length}\r\n${body}`,
  'a list of Content-Length': `${post}content-length: ${body.length}, ${body.length}\r\n\r\n${body}`,
  'a negative Content-Length': `${post}content-length: -1\r\n\r\n${body}`,
  'an unknown coding': `${post}transfer-encoding: xchunked\r\n\r\n${chunks}`,
  'a coding before chunked': `${post}transfer-encoding: gzip, chunked\r\n\r\n${chunks}`,
  'a coding after chunked': `${post}transfer-encoding: chunked, identity\r\n\r\n${chunks}`,
  'chunked twice': `${post}${chunked}${chunked}\r\n${chunks}`,
  'no coding': `${post}transfer-encoding:\r\n\r\n${chunks}`,
  'a coding after a vertical tab': `${post}transfer-encoding: \x0bchunked\r\n\r\n${chunks}`,
  'a blank before the colon': `${post}transfer-encoding : chunked\r\n\r\n${chunks}`,
  'chunks in HTTP/1.0': `${post.replace('1.1', '1.0')}connection: keep-alive\r\n${chunked}\r\n${chunks}`,
  'a later version': `${post.replace('1.1', '2.0')}${length}\r\n${body}`,
  'lines without CR': `${post}${length}\r\n`.replaceAll('\r\n', '\n') + body,
  'a NUL': `${post}x: \0\r\n${length}\r\n${body}`,
  'two Host': `${post}host: b\r\n${length}\r\n${body}`,
  'a bad Host': `${post.replace('host: a', 'host: a b')}${length}\r\n${body}`,
  'a chunk size with 0x': `${post}${chunked}\r\n0x${chunks}`,
  'a chunk longer than its size': `${post}${chunked}\r\n${chunk.replace('}\r\n', '}}\r\n')}0\r\n\r\n`,
  'no HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an unknown method': `${post.replace('POST', 'BREW')}${length}\r\n${body}`,
};

it.each(Object.entries(shapes))('rejects %s, and reads no further request', async (_, shape) => {
  const { upstream, gateway } = await startBoth();
  const wire = await openWire(gateway.origin);
  wire.write(shape + good('behind'));
  expectRejection(await wire.closed, 400);
  // A request that was accepted would have reached the upstream before this one.
  const next = good('1').replace('\r\n', '\r\nconnection: close\r\n');
  expect(await sendRaw(gateway.origin, next)).toContain('SITE-1');
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});
