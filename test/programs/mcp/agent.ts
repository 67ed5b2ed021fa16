import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, vi } from 'vitest';
import { composition } from '../../../src/features.ts';
import { serveMcp } from '../../../src/programs/mcp/mcp.ts';
import { plantKeys } from '../../support/canary.ts';
import { programPath } from '../../support/process.ts';

export interface AgentOptions {
  gateway: string;
  documents: string;
  key: string;
  /** Of the client: 2026-07-28, or the handshake of 2025. */
  protocol?: '2026' | '2025';
  /** The folder of `portico mcp` as a process of its own. Absent: it runs in this one. */
  cwd?: string;
}

export const argumentsFor = ({ gateway, documents }: Pick<AgentOptions, 'gateway' | 'documents'>) => [
  ...['mcp', '--gateway', gateway, '--documents', documents],
];

function startServer(options: AgentOptions & { cwd: string }) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath('main.ts'), ...argumentsFor(options)],
    env: { PORTICO_API_KEY: options.key },
    stderr: 'pipe',
    cwd: options.cwd,
  });
  let errorOutput = '';
  transport.stderr?.on('data', (chunk: Buffer) => (errorOutput += chunk));
  onTestFinished(() => expect(errorOutput).toBe(''));
  return transport;
}

/** Serves the documents in this process. Returns the faults for which it does not. */
export async function serve({ gateway, documents, key }: AgentOptions, transport?: InMemoryTransport) {
  vi.stubEnv('PORTICO_API_KEY', key);
  const { faults } = await serveMcp(gateway, documents, composition, transport && { transport });
  vi.unstubAllEnvs();
  return faults;
}

async function serveHere(options: AgentOptions) {
  const [own, transport] = InMemoryTransport.createLinkedPair();
  expect(await serve(options, transport)).toEqual([]);
  return own;
}

/** An agent, by the official client, of `portico mcp`. No result may contain the key. */
export async function startAgent(options: AgentOptions) {
  const { gateway, key, protocol = '2026', cwd } = options;
  const transport = cwd ? startServer({ ...options, cwd }) : await serveHere(options);
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
