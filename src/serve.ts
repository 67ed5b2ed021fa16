import { setTimeout as delay } from 'node:timers/promises';
import type { ReferenceOptions } from '../reference/server.ts';
import type { Composition } from './composition.ts';
import { readConfiguration } from './config.ts';
import type { Example } from './example.ts';
import { createGateway, type Gateway, type GatewayConfig } from './gateway.ts';
import { startAdmin } from './telemetry/admin.ts';
import { flushLogger, type Logger, startLogger } from './telemetry/log.ts';
import { logFault } from './telemetry/log-lines.ts';
import type { TracingOptions } from './telemetry/traces.ts';

/** Time limits for closing what holds no request: in the gateway, and in the rest, which may send traces. */
const gatewayCloseMs = 1000;
const restCloseMs = 2500;

/** Serves until a signal. Resolves once it serves, to an empty list, or to all reasons why it cannot. */
export async function serve<Config extends ServedConfig>(
  composition: Composition<Config>,
): Promise<string[]> {
  const { config, reference, faults } = await readConfiguration(composition.settings);
  if (faults) return faults;
  const parts: Closable[] = [];
  try {
    await start(composition, config, reference, parts);
    return [];
  } catch (error) {
    await closeAll(parts);
    return [messageFrom(error, config)];
  }
}

interface ServedConfig extends GatewayConfig {
  telemetry: {
    logLevel: Parameters<typeof startLogger>[0];
    /** Null: no metrics. */
    admin: { host: string; port: number } | null;
    /** Null: no traces. */
    traces: TracingOptions | null;
  };
}

interface Closable {
  close(): Promise<void>;
}

/** Closes the last one first. */
async function closeAll(parts: Closable[]): Promise<void> {
  for (const part of parts.splice(0).reverse()) await part.close();
}

/** Starts what a gateway needs, then the gateway. Adds to `parts` what is to be closed after it. */
async function start<Config extends ServedConfig>(
  composition: Composition<Config>,
  config: Config,
  reference: ReferenceOptions | undefined,
  parts: Closable[],
): Promise<void> {
  const logger = await startLogger(config.telemetry.logLevel);
  parts.push({ close: () => flushLogger(logger) });
  const embedded = reference && (await startEmbedded(reference, logger));
  if (embedded) parts.push(embedded);
  const upstreamUrl = config.upstream.url ?? (embedded ? new URL(embedded.url) : null);
  if (!upstreamUrl) throw new Error('UPSTREAM_URL must be set');
  const example = embedded?.example ?? placeholders(config);
  const { admin, traces } = config.telemetry;
  // Without metrics and traces their libraries are not imported.
  const metrics = admin ? (await import('./telemetry/metrics.ts')).createMetrics() : undefined;
  const tracing = traces ? (await import('./telemetry/traces.ts')).createTracing(traces, logger) : undefined;
  if (tracing) parts.push(tracing);
  const gateway = createGateway({ composition, config, upstreamUrl, example, logger, metrics, tracing });
  if (admin && metrics) {
    const { registry } = metrics;
    const onFault = (fault: unknown) =>
      logger.error({ fault: String(fault) }, 'the metrics are not available');
    const port = await startAdmin({ ...admin, registry, ready: gateway.readiness, onFault });
    parts.push(port);
    logger.info({ url: `${port.url}/metrics` }, 'metrics');
  }
  const url = await gateway.start();
  shutDownOnSignal(gateway, parts, config.drain, logger);
  console.log(`ready at ${url}/graphql`);
  if (embedded) console.log(demoCommand(url, example));
}

/** Starts the reference in this process, on a free port of the loopback interface. */
async function startEmbedded(options: ReferenceOptions, logger: Logger) {
  // Imported only here, because with another upstream nothing of it is needed.
  const { startReference } = await import('../reference/server.ts');
  const { demoConversations, demoKeys, demoSites } = await import('../reference/data/demo-ids.ts');
  const onWarning = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => logFault(logger, fault, []);
  const { url, close } = await startReference({ ...options, host: '127.0.0.1', port: 0, onFault, onWarning });
  const siteId = demoSites(options.siteIdPrefix).main;
  return { url, close, example: { apiKey: demoKeys.acme, siteId, conversationId: demoConversations.main } };
}

/** For an upstream whose data are not known here: ids of the right form. */
function placeholders({ siteIdPrefix }: ServedConfig): Example {
  return {
    apiKey: '',
    siteId: `${siteIdPrefix}-1001`,
    conversationId: '00000000-0000-0000-0000-000000000000',
  };
}

/**
 * Shuts a gateway down on the first SIGTERM or SIGINT: fails `/readyz`, waits for `DRAIN_DELAY_MS`, drains
 * the gateway, closes `parts`, which it needs until then, and exits: with 0, or with 1 where requests were
 * aborted or something did not close in time. A second signal exits at once.
 */
function shutDownOnSignal(
  gateway: Gateway,
  parts: Closable[],
  { delayMs, timeoutMs }: ServedConfig['drain'],
  logger: Logger,
): void {
  const onStop = async () => {
    if (gateway.readiness() === 'draining') process.exit(1);
    gateway.retire();
    if (delayMs > 0) await delay(delayMs);
    const aborted = await withTimeout(gateway.drain(timeoutMs), timeoutMs + gatewayCloseMs);
    if (aborted)
      logger.warn(`drain: aborted ${aborted} requests that did not end within DRAIN_TIMEOUT_MS=${timeoutMs}`);
    const isClosed = (await withTimeout(closeAll(parts), restCloseMs)) !== null;
    process.exit(aborted === 0 && isClosed ? 0 : 1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onStop);
  // Without a handler it would end the process without a drain.
  process.on('SIGHUP', () => logger.warn('SIGHUP ignored: restart the process to change its settings'));
}

/** The value of a promise; null where it does not settle in time, or rejects. */
function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  return Promise.race([promise.catch(() => null), delay(timeoutMs, null, { ref: false })]);
}

function demoCommand(url: string, { apiKey, siteId }: Example): string {
  const body = JSON.stringify({ query: `{ site(id: "${siteId}") { address1 city clients { name } } }` });
  return [
    `demo key: ${apiKey}`,
    `curl ${url}/graphql -H 'content-type: application/json' -H 'x-api-key: ${apiKey}' -d '${body}'`,
  ].join('\n');
}

function messageFrom(error: unknown, { host, port, telemetry: { admin } }: ServedConfig): string {
  const { code, port: taken, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return message;
  return admin && admin.port === taken && taken !== port
    ? `ADMIN_PORT ${admin.port} on ${admin.host} is in use: set it to another`
    : `PORT ${port} on ${host} is in use: set it to another`;
}
