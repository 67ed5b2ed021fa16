import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { plantKeys } from '../../support/canary.ts';
import { programPath } from '../../support/process.ts';

export interface AgentOptions {
  /** The endpoint of the gateway. */
  gateway: string;
  /** The path of a manifest. */
  documents: string;
  key: string;
  /** Of the client: 2026-07-28, or the handshake of 2025. */
  protocol?: '2026' | '2025';
  cwd?: string;
}

export const argumentsFor = ({ gateway, documents }: Pick<AgentOptions, 'gateway' | 'documents'>) => [
  ...['mcp', '--gateway', gateway, '--documents', documents],
];

/** An agent, by the official client, that starts `portico mcp`. No result may contain the key. */
export async function startAgent(options: AgentOptions) {
  const { gateway, key, protocol = '2026', cwd } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath('main.ts'), ...argumentsFor(options)],
    env: { PORTICO_API_KEY: key },
    stderr: 'pipe',
    ...(cwd && { cwd }),
  });
  let errorOutput = '';
  transport.stderr?.on('data', (chunk: Buffer) => (errorOutput += chunk));
  onTestFinished(() => expect(errorOutput).toBe(''));
  const { expectAbsent } = plantKeys(gateway, key);
  const mode = protocol === '2026' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    /** The text of a result, parsed if it is JSON, and whether it is an error. */
    async call(name: string, given: Record<string, unknown>) {
      const { content, isError = false } = await client.callTool({ name, arguments: given });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      expectAbsent(JSON.stringify(content));
      return { isError, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
    },
  };
}
