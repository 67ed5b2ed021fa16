import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A plain TCP balancer: passes each connection to the next of `ports` that accepts it. */
export async function startBalancer(ports: readonly number[]) {
  const taken = new Map(ports.map((port) => [port, 0]));
  let next = 0;

  function pass(client: Socket, first: number, tries = 0): void {
    const port = ports[(first + tries) % ports.length] ?? 0;
    const gateway = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const refused = () => (tries + 1 < ports.length ? pass(client, first, tries + 1) : client.destroy());
    gateway.once('error', refused);
    gateway.once('connect', () => {
      gateway.off('error', refused);
      taken.set(port, (taken.get(port) ?? 0) + 1);
      client.pipe(gateway).pipe(client);
      gateway.on('error', () => client.destroy()).once('close', () => client.destroy());
      client.once('close', () => gateway.destroy());
    });
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on('error', () => {});
    next += 1;
    pass(client, next);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many connections each port accepted. */
    taken,
  };
}
