import { countFrom, type Given } from '../../command/command.ts';
import { isLoopback } from '../../config/core.ts';

export interface McpArguments {
  /** The endpoint of the gateway. */
  gateway: URL;
  /** The path of a manifest of trusted documents. */
  documents: string;
  /** Undefined: standard input and output. */
  port: number | undefined;
}

export function argumentsFrom({ options }: Given): McpArguments {
  return {
    gateway: new URL(options.get('gateway') ?? ''),
    documents: options.get('documents') ?? '',
    port: countFrom(options.get('port')),
  };
}

/** Whether a text is the URL of an endpoint. An API key must not travel unencrypted. */
export function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return (
    username + password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
  );
}
