import { setTimeout as delay } from 'node:timers/promises';
import type { ReferenceOptions } from '../../reference/server.ts';
import type { Composition, Example } from '../composition.ts';
import type { CoreConfig } from '../config/core.ts';
import { readConfiguration, version } from '../config/settings.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { portFault } from '../http/port.ts';
import type { Logger } from '../observers/logger.ts';
import { loggerOf, type Observer, reportTo } from '../observers/observer.ts';

/** Time limits for closing what holds no request: in the gateway, and in the rest, which may send traces. */
const gatewayCloseMs = 1000;
const restCloseMs = 2500;

type Close = () => Promise<void>;

/** Serves until a signal. Resolves once it serves, to an empty list, or to all reasons why it cannot. */
export async function serve<Config extends CoreConfig>(composition: Composition<Config>): Promise<string[]> {
  const { config, reference, warnings, given, faults } = await readConfiguration(composition.settings);
  if (faults) return faults;
  /** Closes what the gateway needs until it is closed, the last one first. */
  const parts: Close[] = [];
  const close = async () => {
    for (const closePart of parts.splice(0).reverse()) await closePart();
  };
  try {
    const observers = await startObservers(composition, config, parts);
    const logger = loggerOf(observers);
    const embedded = reference && (await startEmbedded(reference, observers));
    if (embedded) parts.push(embedded.close);
    const upstreamUrl = config.upstream.url ?? (embedded ? new URL(embedded.url) : null);
    if (!upstreamUrl) throw new Error('UPSTREAM_URL must be set');
    const example = embedded?.example ?? {
      apiKey: '',
      siteId: `${config.siteIdPrefix}-1001`,
      conversationId: '00000000-0000-0000-0000-000000000000',
    };
    const gateway = createGateway({ composition, config, upstreamUrl, example, observers });
    const url = await gateway.start();
    shutDownOnSignal(gateway, close, config.drain, logger);
    const settings = Object.fromEntries(given.map(([name, text]) => [name, text ?? '[set]']));
    logger.info({ event: 'started', version, node: process.version, url, settings }, 'started');
    for (const line of warnings) logger.warn(line);
    console.log(`ready at ${url}/graphql`);
    if (embedded) console.log(demoCommand(url, example));
    return [];
  } catch (error) {
    await close();
    return [portFault(error, config)];
  }
}

/** Starts what observes the gateway: the one that writes the log before those that have lines in it. */
async function startObservers<Config extends CoreConfig>(
  composition: Composition<Config>,
  config: Config,
  parts: Close[],
): Promise<Observer[]> {
  const started: Observer[] = [];
  for (const start of composition.observers) {
    const observer = await start(config, loggerOf(started));
    if (!observer) continue;
    started.push(observer);
    parts.push(async () => observer.close?.());
  }
  return started;
}

/** Starts the reference in this process, on a free port of the loopback interface. */
async function startEmbedded(options: ReferenceOptions, observers: readonly Observer[]) {
  // Imported only here, because with another upstream nothing of it is needed.
  const { startReference } = await import('../../reference/server.ts');
  const { demoConversations, demoKeys, demoSites } = await import('../../reference/data/demo-ids.ts');
  const onFault = (fault: unknown) => reportTo(observers).onFault(fault, []);
  const { url, close } = await startReference({ ...options, host: '127.0.0.1', port: 0, onFault });
  const siteId = demoSites(options.siteIdPrefix).main;
  return { url, close, example: { apiKey: demoKeys.acme, siteId, conversationId: demoConversations.main } };
}

/**
 * Drains a gateway on the first SIGTERM or SIGINT, after `DRAIN_DELAY_MS`, and exits: with 1 if requests were aborted or
 * something did not close in time. A second signal exits at once.
 */
function shutDownOnSignal(
  gateway: Gateway,
  close: Close,
  { delayMs, timeoutMs }: CoreConfig['drain'],
  logger: Logger,
): void {
  const onStop = async () => {
    if (gateway.readiness() === 'draining') process.exit(1);
    gateway.retire();
    logger.info({ event: 'draining' }, 'draining');
    if (delayMs > 0) await delay(delayMs);
    const aborted = await withTimeout(gateway.drain(timeoutMs), timeoutMs + gatewayCloseMs);
    if (aborted)
      logger.warn(`drain: aborted ${aborted} requests that did not end within DRAIN_TIMEOUT_MS=${timeoutMs}`);
    logger.info({ event: 'ended', aborted: aborted ?? undefined }, 'ended');
    const isClosed = (await withTimeout(close(), restCloseMs)) !== null;
    process.exit(aborted === 0 && isClosed ? 0 : 1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onStop);
  // Without a handler it would end the process without a drain.
  process.on('SIGHUP', () => logger.warn('SIGHUP ignored: restart the process to change its settings'));
}

/** The value of a promise; null if it does not settle in time, or rejects. */
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
