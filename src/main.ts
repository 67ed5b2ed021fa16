import { type Config, configFromEnv, readEnv } from './config.ts';
import { createGateway, type Example } from './gateway.ts';
import { type ReferenceConfig, readReferenceConfig } from './reference/config.ts';
import { demoConversations, demoKeys, demoSites } from './reference/data/landmarks.ts';

const env = readEnv();
const { config, faults = [] } = configFromEnv(env);
const reference: ReferenceConfig | undefined = env.UPSTREAM_URL ? undefined : readReferenceConfig(env);
const allFaults = new Set([...faults, ...(reference && 'faults' in reference ? reference.faults : [])]);

if (!config || allFaults.size > 0) fail(...allFaults);
else await run(config).catch((error: unknown) => fail(messageFrom(error, config)));

async function run(config: Config): Promise<void> {
  const embedded = await startEmbedded();
  const gateway = createGateway({
    config,
    upstreamUrl: config.upstream.url ?? new URL(embedded?.url ?? ''),
    example: exampleFor(config),
    log: (line) => console.error(line),
  });
  const listening = await gateway.start().catch(async (error: unknown) => {
    await embedded?.close();
    throw error;
  });
  onSignal(async () => {
    await listening.close();
    await embedded?.close();
  });

  console.log(`ready at ${listening.url}/graphql`);
  if (embedded) console.log(invitation(listening.url, exampleFor(config)));
}

/** Closes on the first signal; a second one ends the process at once, with 1. */
function onSignal(close: () => Promise<void>): void {
  let closing = false;
  const leave = () => {
    if (closing) process.exit(1);
    closing = true;
    close().catch((error: unknown) => fail(String(error)));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave);
}

/** The reference in this process, on a free port that only this machine reaches, where no upstream is named. */
async function startEmbedded() {
  if (!reference || 'faults' in reference) return undefined;
  // Loaded only here: where another upstream is named, its libraries would be memory for nothing.
  const { startReference } = await import('./reference/server.ts');
  return startReference({ ...reference.options, host: '127.0.0.1', port: 0, onFault: console.error });
}

function exampleFor({ siteIdPrefix, upstream }: Config): Example {
  return {
    apiKey: upstream.url ? '' : demoKeys.acme,
    siteId: demoSites(siteIdPrefix).main,
    conversationId: demoConversations.main,
  };
}

function invitation(url: string, { apiKey, siteId }: Example): string {
  const body = JSON.stringify({ query: `{ site(id: "${siteId}") { address1 city clients { name } } }` });
  return [
    `demo key: ${apiKey}`,
    `curl ${url}/graphql -H 'content-type: application/json' -H 'x-api-key: ${apiKey}' -d '${body}'`,
  ].join('\n');
}

function messageFrom(error: unknown, { host, port }: Config): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `PORT ${port} on ${host} is in use: set it to another`;
  }
  return error instanceof Error ? error.message : String(error);
}

function fail(...messages: string[]): void {
  for (const message of messages) console.error(message);
  process.exitCode = 1;
}
