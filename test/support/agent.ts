import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { settings } from '../../src/features.ts';
import { serveMcp } from '../../src/programs/mcp/mcp.ts';
import { plantKeys } from './canary.ts';
import { programPath } from './process.ts';

export interface AgentOptions {
  /** The endpoint of the gateway. */
  gateway: string;
  /** The path of a manifest. */
  documents: string;
  key: string;
  /** Of the client: 2026-07-28, or the handshake of 2025. */
  protocol?: '2026' | '2025';
}

export const argumentsFor = ({ gateway, documents }: Pick<AgentOptions, 'gateway' | 'documents'>) => [
  ...['mcp', '--gateway', gateway, '--documents', documents],
];

/** An agent that starts `portico mcp` on standard input and output. */
export async function startStdioAgent(options: AgentOptions) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath('main.ts'), ...argumentsFor(options)],
    env: { PORTICO_API_KEY: options.key },
    stderr: 'pipe',
  });
  let errorOutput = '';
  transport.stderr?.on('data', (chunk: Buffer) => (errorOutput += chunk));
  onTestFinished(() => expect(errorOutput).toBe(''));
  return connectAgent(transport, options);
}

/** An agent that sends requests to a `portico mcp` with a port. */
export async function startHttpAgent(options: AgentOptions) {
  return connectToHttp(await startMcp(options), options);
}

/** `portico mcp` with a port, in this process: resolves to its URL. */
export async function startMcp({ gateway, documents }: Pick<AgentOptions, 'gateway' | 'documents'>) {
  const { lines, close } = await serveMcp({ gateway: new URL(gateway), documents, port: 0 }, settings);
  onTestFinished(() => close?.());
  return lines.join().replace('ready at ', '');
}

export async function connectToHttp(url: string, options: Omit<AgentOptions, 'documents'>) {
  plantKeys(url, options.key);
  const requestInit = { headers: { 'x-api-key': options.key, authorization: 'Bearer token-of-the-client' } };
  return connectAgent(new StreamableHTTPClientTransport(new URL(url), { requestInit }), options);
}

/** The official client; no result may contain the key. */
export async function connectAgent(
  transport: Transport,
  { gateway, key, protocol = '2026' }: Omit<AgentOptions, 'documents'>,
) {
  const { expectAbsent } = plantKeys(gateway, key);
  const mode = protocol === '2026' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    /** The text of a result, parsed where it is JSON, and whether it is an error. */
    async call(name: string, given: Record<string, unknown>) {
      const { content, isError = false } = await client.callTool({ name, arguments: given });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      expectAbsent(JSON.stringify(content));
      return { isError, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
    },
  };
}
