import { createServer } from 'node:net';
import { listen } from './ports.ts';

export type Reply = null | number | string | readonly Reply[];

/** A value as it is on the wire (RESP 2), in Latin 1. */
export function encoded(value: Reply): string {
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (typeof value === 'string') return `$${value.length}\r\n${value}\r\n`;
  return `*${value.length}\r\n${value.map(encoded).join('')}`;
}

/** In place of a reply: none. */
export const silent = 'silent';

/** So many lists, each in the one before. */
export const nested = (levels: number): string => `${'*1\r\n'.repeat(levels)}:1\r\n`;

/** The first commands of a connection. */
const handshake: Record<string, string> = {
  info: encoded('redis_version:7.0.0\r\nloading:0'),
  client: '+OK\r\n',
  ping: '+PONG\r\n',
};

/** A server that speaks RESP and stores values, unless the test sets its reply; `silent`: none at all. */
export async function startOddRedis() {
  const state: { reply: string | undefined } = { reply: undefined };
  const commands: string[] = [];
  const values = new Map<string, string>();
  const stored = ([name, ...rest]: string[]): Reply => {
    if (name === 'mget') return rest.map((one) => values.get(one) ?? null);
    if (name === 'set') values.set(rest[0] ?? '', rest[1] ?? '');
    return 'OK';
  };
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      for (;;) {
        const command = commandIn(text);
        if (!command) return;
        text = text.slice(command.length);
        const [name = ''] = command.words;
        commands.push(name);
        if (state.reply === silent) continue;
        socket.write(handshake[name] ?? state.reply ?? encoded(stored(command.words)), 'latin1');
      }
    });
  });
  return {
    url: `redis://127.0.0.1:${await listen(server)}/`,
    state,
    commands,
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
