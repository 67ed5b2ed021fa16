import { countFrom, type Given } from '../../command/command.ts';
import { isLoopback } from '../../config/core.ts';

export type McpArguments = ReturnType<typeof argumentsFrom>;

export const argumentsFrom = ({ options }: Given) => ({
  /** The endpoint of the gateway. */
  gateway: new URL(options.get('gateway') ?? ''),
  /** The path of a manifest of trusted documents. */
  documents: options.get('documents') ?? '',
  /** Undefined: standard input and output. */
  port: countFrom(options.get('port')),
});

/** Whether a text is the URL of an endpoint. An API key must not travel unencrypted. */
export function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return (
    username + password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
  );
}
