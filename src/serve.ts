import cluster from 'node:cluster';
import { readConfiguration } from './command/configuration.ts';
import type { Config } from './config.ts';
import { createGateway, type Example, type Gateway, type Serving } from './gateway.ts';
import { leaveOnSignal } from './process/alone.ts';
import { keepCallsYoung } from './process/memory.ts';
import { type Closing, createOpened, type Opened } from './process/opened.ts';
import { type Supervisor, startSupervisor } from './process/supervisor.ts';
import { failAsWorker, serveAsWorker } from './process/worker.ts';
import { demoConversations, demoKeys, demoSites } from './reference/data/demo-ids.ts';
import type { ReferenceOptions } from './reference/server.ts';
import { type AdminOptions, startAdmin } from './telemetry/admin.ts';
import { type Logger, startLogger } from './telemetry/logger.ts';
import { createSum } from './telemetry/sum.ts';
import { startTracing } from './telemetry/tracing.ts';

/**
 * Serves by the settings of the environment and of `file`: in this process, or in as many workers as they say. Resolves
 * once it serves, to nothing, or to all that keeps it from that; a signal ends it.
 */
export async function serve(file: string | undefined): Promise<string[]> {
  keepCallsYoung();
  const { config, reference, faults } = await readConfiguration(file);
  if (cluster.isWorker) {
    if (faults) failAsWorker(faults);
    else await work(config);
    return [];
  }
  if (faults) return faults;
  try {
    await open(config, reference, file);
    return [];
  } catch (error) {
    return [messageFrom(error, config)];
  }
}

async function open(config: Config, reference: ReferenceOptions | undefined, file: string | undefined) {
  const logger = await startLogger(config.telemetry.logLevel);
  const opened = createOpened();
  try {
    const embedded = opened.add(reference && (await startEmbedded(reference, logger)));
    const embeddedUrl = embedded ? new URL(embedded.url) : null;
    const start = config.lifecycle.workers === 1 ? serveAlone : serveInWorkers;
    const url = await start({ config, embeddedUrl, file, logger, opened });
    console.log(`ready at ${url}/graphql`);
    if (embedded) console.log(invitation(url, exampleFor(config)));
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface Start {
  config: Config;
  embeddedUrl: URL | null;
  file: string | undefined;
  logger: Logger;
  /** What is to be closed after the gateways. */
  opened: Opened;
}

async function serveAlone({ config, embeddedUrl, logger, opened }: Start): Promise<string> {
  const gateway = await gatewayFor({ config, embeddedUrl, logger, opened });
  let serving: Serving | undefined;
  if (gateway.numbers) {
    const ready = () => (serving ? (serving.isReady() ? 'ok' : 'draining') : 'starting');
    const probes = { live: () => 'ok', ready };
    opened.add(await startMetrics(config, logger, { metrics: gateway.numbers.registry, probes }));
  }
  serving = await gateway.start();
  leaveOnSignal(serving, opened, config.lifecycle, (line) => logger.warn(line));
  return serving.url;
}

async function serveInWorkers({ config, embeddedUrl, file, logger, opened }: Start): Promise<string> {
  let supervisor: Supervisor | undefined;
  const metrics = createSum(async () => (await supervisor?.readMetrics()) ?? []);
  const probes = {
    live: () => supervisor?.liveness() ?? 'ok',
    ready: () => supervisor?.readiness() ?? 'starting',
  };
  // First, so that there are no workers yet where its port cannot be had.
  opened.add(await startMetrics(config, logger, { metrics, probes }));
  supervisor = await startSupervisor({
    config,
    readAnew: () => readConfiguration(file),
    upstreamUrl: embeddedUrl,
    opened,
    log: (line) => logger.warn(line),
  });
  return supervisor.url;
}

async function work(config: Config): Promise<void> {
  const logger = await startLogger(config.telemetry.logLevel);
  const opened = createOpened();
  serveAsWorker({
    async start(feed, embeddedUrl) {
      const gateway = await gatewayFor({ config, embeddedUrl, logger, opened });
      const readMetrics = async () => (await gateway.numbers?.registry.getMetricsAsJSON()) ?? [];
      return { ...(await gateway.start(feed)), readMetrics };
    },
    opened,
    messageFrom: (error) => messageFrom(error, config),
    lifecycle: config.lifecycle,
    log: (line) => logger.warn(line),
  });
}

/** A gateway, and first what sends its traces. */
async function gatewayFor({ config, embeddedUrl, logger, opened }: Omit<Start, 'file'>): Promise<Gateway> {
  const upstreamUrl = config.upstream.url ?? embeddedUrl;
  if (!upstreamUrl) {
    throw new Error('UPSTREAM_URL must stay set: the embedded reference starts with the gateway');
  }
  const { traces } = config.telemetry;
  const onLost = (reason: string) => logger.warn({ reason }, 'traces were dropped');
  const tracing = opened.add(traces ? await startTracing({ ...traces, onLost }) : undefined);
  return createGateway({ config, upstreamUrl, example: exampleFor(config), logger, tracing });
}

/** The port for those who run the gateway, where the configuration has one. */
async function startMetrics(
  { telemetry: { admin } }: Config,
  logger: Logger,
  answers: Pick<AdminOptions, 'metrics' | 'probes'>,
): Promise<Closing | undefined> {
  if (!admin) return undefined;
  const onFault = (fault: unknown) => logger.error({ fault: String(fault) }, 'the metrics are not available');
  const opened = await startAdmin({ ...admin, ...answers, onFault });
  logger.info({ url: `${opened.url}/metrics` }, 'metrics');
  return opened;
}

/** The reference in this process, on a free port that only this machine reaches. */
async function startEmbedded(options: ReferenceOptions, logger: Logger) {
  // Loaded only here: where another upstream is named, its libraries would be memory for nothing.
  const { startReference } = await import('./reference/server.ts');
  const onWarning = (line: string) => logger.warn(line);
  return startReference({ ...options, host: '127.0.0.1', port: 0, onFault: console.error, onWarning });
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
