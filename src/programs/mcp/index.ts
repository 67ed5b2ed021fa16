import { type Command, countFrom, isCount } from '../../command/command.ts';
import { isLoopback } from '../../config/core.ts';

/** `portico mcp`: tools for agents, as a client of a gateway. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'serve trusted documents to agents as tools, as a client of a gateway',
  usage: 'mcp --gateway URL --documents FILE [OPTION...]',
  about: `Serves the trusted documents of a gateway to agents, by the Model Context Protocol. Each query with
a description is a tool. It exits with 1 if the documents cannot be tools.`,
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
    port: {
      help: 'serve http://127.0.0.1:N/mcp, where each request has its API key in x-api-key; 0 picks a free port',
      value: {
        name: 'N',
        requires: 'a port: 0 to 65535',
        accepts: (text) => isCount(text) && Number(text) <= 65_535,
      },
    },
  },
  required: ['gateway', 'documents'],
  more: `Without --port it serves one agent on standard input and output, with the API key that the
environment has in PORTICO_API_KEY. The settings that limit operations, and those of the listener,
such as MAX_CONNECTIONS and REQUEST_TIMEOUT_MS, are read from the environment too.`,
  async run({ options }, composition) {
    const { serveMcp } = await import('./mcp.ts');
    const gateway = new URL(options.get('gateway') ?? '');
    const [documents = '', port] = [options.get('documents'), countFrom(options.get('port'))];
    return serveMcp({ gateway, documents, port }, composition);
  },
};

/** Whether a text is the URL of an endpoint. An API key must not travel unencrypted. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isSafe && username + password === '';
}
