import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether a process accepts connections there. */
export function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const listening = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return listening.finally(() => socket.destroy());
}
