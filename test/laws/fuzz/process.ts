/** A gateway in a process of its own, forked by gateway.ts, that tells when its event loop stood still. */
import { configFromEnv, readEnv } from '../../../src/config.ts';
import { createGateway } from '../../../src/gateway.ts';
import { startLogger } from '../../../src/telemetry/logs/logger.ts';

/** What it tells when it listens, and then in answer to each number that it is sent. */
export interface Reading {
  number: number;
  url: string;
  /** How long its event loop stood still, each time that it was too long, in milliseconds. */
  stalls: number[];
}

const MEASURE_EVERY_MS = 10;
const LONGEST_STALL_MS = 200;

const { config, faults } = configFromEnv(readEnv());
if (!config?.upstream.url) throw new Error(faults?.join('\n') ?? 'UPSTREAM_URL must be set');

const gateway = createGateway({
  config,
  upstreamUrl: config.upstream.url,
  example: { apiKey: '', siteId: 'SITE-1', conversationId: '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab01' },
  logger: await startLogger(config.telemetry.logLevel),
});
const { url } = await gateway.start();

const stalls: number[] = [];
let last = { at: performance.now(), cpu: process.cpuUsage() };

/** Time on the clock alone would count what a busy machine takes. */
function measure(): void {
  const { user, system } = process.cpuUsage(last.cpu);
  const stall = Math.min(performance.now() - last.at, (user + system) / 1000);
  if (stall > LONGEST_STALL_MS) stalls.push(Math.round(stall));
  last = { at: performance.now(), cpu: process.cpuUsage() };
}

setInterval(measure, MEASURE_EVERY_MS);
const tell = (number: number) => process.send?.({ number, url, stalls } satisfies Reading);
process.on('message', (number: number) => {
  measure();
  tell(number);
});
tell(0);
