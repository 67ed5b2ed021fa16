import type { Command } from '../../command/command.ts';
import { isLoopback } from '../../config/core.ts';

/** `portico mcp`: tools for an agent, as a client of a gateway. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'serve trusted documents to an agent as tools, as a client of a gateway',
  usage: 'mcp --gateway URL --documents FILE',
  about: `Serves the trusted documents of a gateway to an agent by the Model Context Protocol, on standard
input and output, with the API key in PORTICO_API_KEY. Each query with a description is a tool. It
exits with 1 if the documents cannot be tools.`,
  options: {
    gateway: {
      help: 'the endpoint of the gateway: https://portico.example.com/graphql',
      value: {
        name: 'URL',
        requires: 'an https: URL without credentials, or an http: URL of this machine',
        accepts: isEndpoint,
      },
    },
    documents: {
      help: 'the manifest of trusted documents that the gateway has',
      value: { name: 'FILE', requires: 'a file', accepts: Boolean },
    },
  },
  faultsOf: (options) =>
    ['gateway', 'documents'].filter((name) => !options.has(name)).map((name) => `mcp requires --${name}`),
  run: async ({ options }, composition) =>
    (await import('./mcp.ts')).serveMcp(
      `${options.get('gateway')}`,
      `${options.get('documents')}`,
      composition,
    ),
};

/** Returns true for the URL of an endpoint. An API key must not travel unencrypted. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isSafe && username + password === '';
}
