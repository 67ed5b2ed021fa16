import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Signal, Switch } from '../signal.ts';

/** Longest key that is forwarded, in bytes. */
const maxKeyBytes = 256;
const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * The caller's key, or undefined where there is none to use: none sent, an empty one, several, or one that no header
 * can carry unchanged (blanks, other than ASCII, over 256 bytes). `Authorization` is not looked at (REST document, 5).
 */
export function apiKeyFrom({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const keys = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'x-api-key',
  );
  const [key] = keys;
  return keys.length === 1 && key && key.length <= maxKeyBytes && visibleAscii.test(key) ? key : undefined;
}

/** Aborts when the caller is gone, or has his answer: either way nobody waits any more. */
export function departureOf({ socket }: IncomingMessage, res: ServerResponse): Signal {
  const departure = new Switch();
  const leave = () => {
    socket.off('close', leave);
    departure.abort(() => new Error('The caller left.'));
  };
  res.once('close', leave);
  // An answer that waits behind another one on its connection does not hear of the connection's end.
  setMaxListeners(0, socket);
  socket.once('close', leave);
  return departure;
}
