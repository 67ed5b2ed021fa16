import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A DNS server that has these IPv4 addresses for every name, in another order each time, and no other records. */
export async function startDns(addresses: readonly string[]) {
  let current = addresses;
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const endOfName = query.indexOf(0, 12) + 1;
    const isOfAddresses = query.readUInt16BE(endOfName) === 1;
    const answers = isOfAddresses ? [...current].sort(() => Math.random() - 0.5) : [];
    const head = Buffer.from(query.subarray(0, 12));
    // A response, authoritative; one question, no further records.
    head.writeUInt16BE(0x8400, 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt32BE(0, 8);
    // The name of the question, type A, class IN, 30 s, four bytes.
    const records = answers.map((ip) => [
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      30,
      0,
      4,
      ...ip.split('.').map(Number),
    ]);
    socket.send(
      Buffer.concat([head, query.subarray(12, endOfName + 4), Buffer.from(records.flat())]),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return {
    port: socket.address().port,
    setAddresses(next: readonly string[]) {
      current = next;
    },
  };
}
