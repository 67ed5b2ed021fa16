#!/usr/bin/env node
import { commandFromArguments } from './command/arguments.ts';
import { checkConfiguration } from './command/check.ts';
import { declared, readConfiguration } from './command/configuration.ts';
import { helpFrom, readVersion } from './command/help.ts';
import type { Config } from './config.ts';
import { createGateway, type Example } from './gateway.ts';
import { demoConversations, demoKeys, demoSites } from './reference/data/landmarks.ts';
import type { ReferenceOptions } from './reference/server.ts';
import { startAdmin } from './telemetry/admin.ts';
import { startLogger } from './telemetry/logger.ts';
import { startTracing } from './telemetry/tracing.ts';

const FAILED = 1;
const MISUSED = 2;

const command = commandFromArguments(process.argv.slice(2));
if (command.name === 'misused') fail(MISUSED, ...command.faults, 'portico --help shows how');
else if (command.name === 'help') console.log(helpFrom(declared));
else if (command.name === 'version') console.log(readVersion());
else if (command.name === 'check-config') await check(command.file);
else await serve(command.file);

async function check(file: string | undefined): Promise<void> {
  const { lines, faults } = await checkConfiguration(file);
  if (faults) fail(FAILED, ...faults);
  else console.log(lines.join('\n'));
}

async function serve(file: string | undefined): Promise<void> {
  const { config, reference, faults } = await readConfiguration(file);
  if (faults) fail(FAILED, ...faults);
  else await run(config, reference).catch((error: unknown) => fail(FAILED, messageFrom(error, config)));
}

async function run(config: Config, reference: ReferenceOptions | undefined): Promise<void> {
  const { admin, logLevel, traces } = config.telemetry;
  const logger = await startLogger(logLevel);
  const opened: Closable[] = [];
  const open = <T extends Closable | undefined>(one: T): T => {
    if (one) opened.unshift(one);
    return one;
  };
  // What was opened last is closed first.
  const close = async () => {
    for (const one of opened.splice(0)) await one.close();
  };
  const onLost = (reason: string) => logger.warn({ reason }, 'traces are lost');

  try {
    const tracing = open(traces ? await startTracing({ ...traces, onLost }) : undefined);
    const embedded = open(await startEmbedded(reference));
    const example = exampleFor(config);
    const upstreamUrl = config.upstream.url ?? new URL(embedded?.url ?? '');
    const gateway = createGateway({ config, upstreamUrl, example, logger, tracing });
    if (admin && gateway.numbers) {
      const onFault = (fault: unknown) => logger.error({ fault: String(fault) }, 'the metrics cannot be had');
      const { url } = open(await startAdmin({ ...admin, metrics: gateway.numbers.registry, onFault }));
      logger.info({ url: `${url}/metrics` }, 'metrics');
    }
    const { url } = open(await gateway.start());
    onSignal(close);
    console.log(`ready at ${url}/graphql`);
    if (embedded) console.log(invitation(url, example));
  } catch (error) {
    await close();
    throw error;
  }
}

interface Closable {
  close(): Promise<void>;
}

/** Closes on the first signal; a second one ends the process at once, with 1. */
function onSignal(close: () => Promise<void>): void {
  let closing = false;
  const leave = () => {
    if (closing) process.exit(FAILED);
    closing = true;
    close().catch((error: unknown) => fail(FAILED, String(error)));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave);
}

/** The reference in this process, on a free port that only this machine reaches, where no upstream is named. */
async function startEmbedded(reference: ReferenceOptions | undefined) {
  if (!reference) return undefined;
  // Loaded only here: where another upstream is named, its libraries would be memory for nothing.
  const { startReference } = await import('./reference/server.ts');
  return startReference({ ...reference, host: '127.0.0.1', port: 0, onFault: console.error });
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

function messageFrom(error: unknown, { host, port, telemetry: { admin } }: Config): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    const isAdmin = admin !== null && 'port' in error && error.port === admin.port && admin.port !== port;
    return isAdmin
      ? `ADMIN_PORT ${admin.port} on ${admin.host} is in use: set it to another`
      : `PORT ${port} on ${host} is in use: set it to another`;
  }
  return error instanceof Error ? error.message : String(error);
}

function fail(code: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  process.exitCode = code;
}
