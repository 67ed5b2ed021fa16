import { readConfiguration } from './command/configuration.ts';
import type { Config } from './config.ts';
import { createGateway, type Example, type Gateway, type Serving } from './gateway.ts';
import { demoConversations, demoKeys, demoSites } from './reference/data/demo-ids.ts';
import type { ReferenceOptions } from './reference/server.ts';
import { createDisposables, type Disposable, type Disposables, shutDownOnSignal } from './shutdown.ts';
import { type AdminOptions, startAdmin } from './telemetry/admin.ts';
import { logFault } from './telemetry/logs/log-lines.ts';
import { flushLogger, type Logger, startLogger } from './telemetry/logs/logger.ts';
import type { GatewayMetrics } from './telemetry/metrics.ts';

/** Serves until a signal ends it. Resolves once it serves, to an empty list, or to all reasons why it cannot. */
export async function serve(): Promise<string[]> {
  const { config, reference, faults } = readConfiguration();
  if (faults) return faults;
  try {
    await start(config, reference);
    return [];
  } catch (error) {
    return [messageFrom(error, config)];
  }
}

async function start(config: Config, reference: ReferenceOptions | undefined): Promise<void> {
  const logger = await startLogger(config.telemetry.logLevel);
  const disposables = createDisposables();
  disposables.add({ close: () => flushLogger(logger) });
  try {
    const embedded = disposables.add(reference && (await startEmbedded(reference, logger)));
    const upstreamUrl = config.upstream.url ?? (embedded ? new URL(embedded.url) : null);
    if (!upstreamUrl) throw new Error('UPSTREAM_URL must be set');
    const url = await startGateway({ config, upstreamUrl, logger, disposables });
    console.log(`ready at ${url}/graphql`);
    if (embedded) console.log(demoCommand(url, exampleFor(config)));
  } catch (error) {
    await disposables.close();
    throw error;
  }
}

interface Start {
  config: Config;
  upstreamUrl: URL;
  logger: Logger;
  /** What the gateway needs until it is drained. */
  disposables: Disposables;
}

/** Opens the admin port, then that of the gateway. Resolves to the URL of the latter. */
async function startGateway(parts: Start): Promise<string> {
  const { config, logger, disposables } = parts;
  const { gateway, metrics } = await gatewayFor(parts);
  let serving: Serving | undefined;
  const ready = () => (serving ? (serving.isReady() ? 'ok' : 'draining') : 'starting');
  const probes = { live: () => 'ok', ready };
  if (metrics) disposables.add(await openAdminPort(config, logger, { metrics: metrics.registry, probes }));
  serving = await gateway.start();
  shutDownOnSignal(serving, disposables, config.drain, (line) => logger.warn(line));
  return serving.url;
}

interface ObservedGateway {
  gateway: Gateway;
  /** Undefined where there is no admin port. */
  metrics: GatewayMetrics | undefined;
}

/** Creates a gateway, and starts its tracing first. Without metrics and traces their libraries are not imported. */
async function gatewayFor({ config, upstreamUrl, logger, disposables }: Start): Promise<ObservedGateway> {
  const { admin, traces } = config.telemetry;
  const metrics = admin ? (await import('./telemetry/metrics.ts')).createMetrics() : undefined;
  const onLost = (reason: string) => logger.warn({ reason }, 'traces were dropped');
  const tracing = traces
    ? (await import('./telemetry/traces/opentelemetry.ts')).createTracing({ ...traces, onLost })
    : undefined;
  disposables.add(tracing);
  const example = exampleFor(config);
  return { gateway: createGateway({ config, upstreamUrl, example, logger, metrics, tracing }), metrics };
}

/** Opens the admin port, if it is configured. */
async function openAdminPort(
  { telemetry: { admin } }: Config,
  logger: Logger,
  routes: Pick<AdminOptions, 'metrics' | 'probes'>,
): Promise<Disposable | undefined> {
  if (!admin) return undefined;
  const onFault = (fault: unknown) => logger.error({ fault: String(fault) }, 'the metrics are not available');
  const adminServer = await startAdmin({ ...admin, ...routes, onFault });
  logger.info({ url: `${adminServer.url}/metrics` }, 'metrics');
  return adminServer;
}

/** Starts the reference in this process, on a free port of the loopback interface. */
async function startEmbedded(options: ReferenceOptions, logger: Logger) {
  // Imported only here, because with another upstream its libraries are not needed.
  const { startReference } = await import('./reference/server.ts');
  const onWarning = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => logFault(logger, fault, []);
  return startReference({ ...options, host: '127.0.0.1', port: 0, onFault, onWarning });
}

function exampleFor({ siteIdPrefix, upstream }: Config): Example {
  return {
    apiKey: upstream.url ? '' : demoKeys.acme,
    siteId: demoSites(siteIdPrefix).main,
    conversationId: demoConversations.main,
  };
}

function demoCommand(url: string, { apiKey, siteId }: Example): string {
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
