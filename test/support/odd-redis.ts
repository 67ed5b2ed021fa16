import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What RESP can carry. */
export type Reply = null | number | string | readonly Reply[];

/** A value as it is on the wire (RESP 2). */
export function encoded(value: Reply): string {
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (typeof value === 'string') return `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
  return `*${value.length}\r\n${value.map(encoded).join('')}`;
}

/** So many lists, each in the one before. */
export const nested = (levels: number): string => `${'*1\r\n'.repeat(levels)}:1\r\n`;

/** What a connection is opened with, and a subscription. */
const handshake: Record<string, string> = {
  info: encoded('redis_version:7.0.0\r\nloading:0'),
  client: '+OK\r\n',
  ping: '+PONG\r\n',
};

/** A server that speaks RESP, and replies to every command but those of the handshake what the test sets. */
export async function startOddRedis() {
  const state = { reply: encoded(null) };
  const commands: string[] = [];
  const subscribers = new Set<Socket>();
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => subscribers.delete(socket));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      for (;;) {
        const command = commandIn(text);
        if (!command) return;
        text = text.slice(command.length);
        const [name = '', channel = ''] = command.words;
        commands.push(name);
        if (name === 'subscribe') {
          subscribers.add(socket);
          socket.write(encoded(['subscribe', channel, 1]));
        } else socket.write(handshake[name] ?? state.reply);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    state,
    /** The names of all commands so far. */
    commands,
    /** Sends these bytes to all subscribers. Returns how many there are. */
    send(bytes: string): number {
      for (const socket of subscribers) socket.write(bytes);
      return subscribers.size;
    },
  };
}

/** The first command of the text, and its length; undefined while it is not complete. */
function commandIn(text: string): { words: string[]; length: number } | undefined {
  const [head, count] = /^\*(\d+)\r\n/.exec(text) ?? [];
  if (head === undefined) return undefined;
  const words: string[] = [];
  let length = head.length;
  for (let n = 0; n < Number(count); n += 1) {
    const [size, bytes] = /^\$(\d+)\r\n/.exec(text.slice(length, length + 20)) ?? [];
    if (size === undefined) return undefined;
    const end = length + size.length + Number(bytes);
    if (text.length < end + 2) return undefined;
    words.push(text.slice(length + size.length, end));
    length = end + 2;
  }
  return { words: words.map((word, n) => (n === 0 ? word.toLowerCase() : word)), length };
}
